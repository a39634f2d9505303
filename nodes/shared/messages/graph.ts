import type { GraphFault } from '../../../client';
import { graphInputWords } from './graphInput';
import { type Words, words } from './words';

/** Where ComfyUI's own menus have it: since its web interface of October 2025, and before. */
export const EXPORT_MENU = 'File > Export (API), or Export (API) in the menu of the workflow’s tab (older versions: Workflow > Export (API))';

/** How to get the other format. */
export const EXPORT_STEPS = `In ComfyUI open the workflow and choose ${EXPORT_MENU}. Paste that file here.`;

/** What an expression in the middle of JSON text does to it, and what to write in its place. */
const QUOTES =
	'If a text in it comes from an expression, that text holds quotes or line breaks, which end the JSON too early. Write {{ JSON.stringify($json.prompt) }} in its place, without quotes of your own around it: {"6": {"text": {{ JSON.stringify($json.prompt) }} } }.';

const list = (names: string[]): string => names.slice(0, 20).join(', ') + (names.length > 20 ? ', …' : '');

/** The workflow or its input values cannot be used; nothing was sent. */
export function graphWords(facts: GraphFault): Words {
	switch (facts.fault) {
		case 'not_json':
			return words(`Workflow is not readable JSON: ${facts.detail}`, `Nothing was sent. ${EXPORT_STEPS}`, QUOTES);
		case 'ui_format':
			return words(
				'Workflow is in the editor’s own format, which the service cannot run',
				`Nothing was sent. ${EXPORT_STEPS}`,
			);
		case 'not_a_graph':
			return words(`Workflow is not a graph in API format: ${facts.detail}`, `Nothing was sent. ${EXPORT_STEPS}`);
		case 'unknown_node':
			return words(
				`The workflow has no node with the id or title "${facts.node}"`,
				`Nothing was sent. Correct the name in Input Values. The workflow has: ${list(facts.known)}.`,
			);
		case 'ambiguous_title':
			return words(
				`Several nodes of the workflow are titled "${facts.node}"`,
				`Nothing was sent. Use the node id in Input Values: ${list(facts.ids)}.`,
			);
		case 'unknown_input':
			return words(
				`Node "${facts.node}" has no input "${facts.input}"`,
				`Nothing was sent. Correct the name in Input Values. The node has: ${list(facts.known)}.`,
			);
		case 'lost_digits':
			return words(
				`Input "${facts.input}" of node ${facts.id} (${facts.name}) has lost digits: ${facts.left} is what an object has kept of it`,
				`Nothing was sent. Numbers in an object are exact up to ${Number.MAX_SAFE_INTEGER}. Give the workflow as text or as a file (Comfy Get Workflow has both under Output As), or the value as text in Input Values, e.g. {"${facts.id}": {"${facts.input}": "18446744073709551615"}}.`,
			);
		case 'bad_values':
			return words(
				`Input Values cannot be used: ${facts.detail}`,
				`Nothing was sent. ${facts.isUnreadable ? QUOTES : 'Enter the id or title of each node, and in it the names of its inputs with their new values, e.g. {"6": {"text": "a red fox"}}.'}`,
			);
		default:
			return graphInputWords(facts);
	}
}
