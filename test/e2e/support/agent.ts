import type { Execution, WorkflowDocument, WorkflowNode } from '../../../scripts/n8nHost';
import { type Behaviour, type OfferedTool, scriptedModel } from './model';
import type { Session } from './session';
import { node, TRIGGER } from './workflows';

const asTool = (name: string, { type, ...rest }: WorkflowNode): WorkflowNode => ({ ...rest, id: name, name, type: `${type}Tool` });

const into = (name: string, type: string) => ({ [type]: [[{ node: name, type, index: 0 }]] });

/** By the name that it has for the model. */
export type Tools = Record<string, WorkflowNode>;

function agent(modelUrl: string, tools: Tools, version: number): WorkflowDocument {
	return {
		name: 'an agent with our nodes as its tools',
		nodes: [
			node(TRIGGER, 'n8n-nodes-base.manualTrigger', 1, {}),
			node('Agent', '@n8n/n8n-nodes-langchain.agent', version, { promptType: 'define', text: 'Make a red picture', options: {} }),
			{
				...node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
					model: { __rl: true, mode: 'id', value: 'scripted' },
					options: { baseURL: modelUrl },
				}),
				credentials: { openAiApi: { id: null, name: '' } },
			},
			...Object.entries(tools).map(([name, one]) => asTool(name, one)),
		],
		connections: {
			[TRIGGER]: into('Agent', 'main'),
			Model: into('Agent', 'ai_languageModel'),
			...Object.fromEntries(Object.keys(tools).map((name) => [name, into('Agent', 'ai_tool')])),
		},
	};
}

export interface Talk {
	execution: Execution;
	/** What the tools answered. */
	seen: string[];
	/** As the model read of them. */
	tools: OfferedTool[];
}

/** An agent does its work with a model that follows a script. */
export async function talkTo(session: Session, behaviour: Behaviour, tools: Tools, version = 3.1): Promise<Talk> {
	let [seen, offered]: [string[], OfferedTool[]] = [[], []];
	const model = await scriptedModel((answers, offers) => {
		[seen, offered] = [[...answers], offers];
		return behaviour(answers, offers);
	});
	const openAi = await session.rest.createCredential({ name: 'Model', type: 'openAiApi', data: { apiKey: 'none', url: model.url } });
	const id = await session.start(agent(model.url, tools, version), TRIGGER, [...session.credentials, openAi]);
	const execution = await session.rest.waitFor(id);
	await model.close();
	return { execution, seen, tools: offered };
}

/** In what a tool answered, however it is quoted. */
export const jobIdIn = (text: string | undefined): string | undefined => /"job_id":"([^"]+)"/.exec(text?.replaceAll('\\"', '"') ?? '')?.[1];
