import { bypassedInput } from './bypass';
import { BYPASSED, type EditorEnd, type EditorNode, isActive, MUTED } from './model';
import type { Network } from './network';
import { placeOf } from './place';
import { notConvertible } from './refuse';
import { Setters } from './setGet';
import type { ConversionRefusal } from '../../graphFaults';
import { isGetter, linksUnseen, PRIMITIVE } from './virtual';

export interface ResolvedLinks {
	/** Node id → name of the input → where its value comes from: an output of an executed node, or one of the graph's promoted values. */
	sources: Map<string, Map<string, EditorEnd>>;
	/** The nodes that would run, in the file's order. */
	executed: EditorNode[];
	refusals: ConversionRefusal[];
}

/** Far more ways than links of drawn workflows lead, all together. */
const MOST_STEPS = 1_000_000;

type Source = EditorEnd | 'nothing' | 'broken';

interface Place {
	node: EditorNode;
	/** Of its inputs. */
	slot: number;
}

class Resolver {
	private readonly setters: Setters;
	/** Where links from an output lead, for an input of a type. */
	private readonly known = new Map<string, Source>();
	private steps = 0;

	constructor(private readonly network: Network) {
		this.setters = new Setters(network.graph);
	}

	/** Where the value of an input comes from, through all that only hands it on. */
	sourceOf(node: EditorNode, slot: number): Source {
		const passed = new Set<string>();
		const source = this.follow({ node, slot }, passed);
		for (const output of passed) this.known.set(output, source);
		return source;
	}

	private follow(start: Place, passed: Set<string>): Source {
		const { nodes, links, promoted } = this.network.graph;
		let wanted = this.typeAt(start);
		for (let at = start; ;) {
			this.count();
			const input = this.network.slotsOf(at.node).inputs[at.slot];
			if (input === undefined) return 'broken';
			if (input.linkId === undefined) return 'nothing';
			const link = links.get(input.linkId);
			if (link !== undefined && promoted?.has(link.from.nodeId)) return link.from;
			const from = link && nodes.get(link.from.nodeId);
			if (link === undefined || from === undefined || link.from.slot < 0) return 'broken';
			if (isActive(from) && !this.network.isVirtual(from)) return link.from;
			const output = `${from.id}\n${link.from.slot}\n${wanted}`;
			const source = passed.has(output) ? 'broken' : this.known.get(output);
			if (source !== undefined) return source;
			passed.add(output);
			const next = this.handedOn(from, link.from.slot, wanted);
			if (next === undefined) return 'nothing';
			at = next;
			// A reroute stands for what it leads to; a bypassed node asks for what it takes itself.
			if (from.mode === BYPASSED) wanted = this.typeAt(next);
		}
	}

	private typeAt({ node, slot }: Place): string {
		return this.network.slotsOf(node).inputs[slot]?.type ?? '';
	}

	/** The input of a node that does not run which comes out at one of its outputs. */
	private handedOn(node: EditorNode, slot: number, wanted: string): Place | undefined {
		if (node.mode === MUTED || node.className === PRIMITIVE) return undefined;
		if (node.mode === BYPASSED) {
			const input = bypassedInput(this.network.slotsOf(node), slot, wanted);
			return input === undefined ? undefined : { node, slot: input };
		}
		if (isGetter(node.className)) {
			const setter = this.setters.of(node);
			return setter && { node: setter, slot };
		}
		return slot < node.inputs.length ? { node, slot } : undefined;
	}

	private count(): void {
		this.steps += 1;
		if (this.steps > MOST_STEPS)
			throw notConvertible([{ refusal: 'too_large', detail: `its links lead through other nodes more than ${MOST_STEPS} times` }]);
	}
}

/** Which nodes would run, and what each of their inputs is linked to among these. */
export function resolveLinks(network: Network): ResolvedLinks {
	const resolver = new Resolver(network);
	const executed = [...network.graph.nodes.values()].filter((node) => isActive(node) && !network.isVirtual(node));
	const sources: ResolvedLinks['sources'] = new Map();
	const refusals: ConversionRefusal[] = [];
	for (const node of executed) {
		const ofNode = new Map<string, EditorEnd>();
		for (const [slot, input] of network.slotsOf(node).inputs.entries()) {
			const source = resolver.sourceOf(node, slot);
			if (source === 'broken') refusals.push({ refusal: 'broken_link', ...placeOf(node, network.definitionOf(node), input.name) });
			else if (source !== 'nothing') ofNode.set(input.name, source);
		}
		sources.set(node.id, ofNode);
		if (network.definitionOf(node) !== undefined && linksUnseen(node, ofNode.size > 0))
			refusals.push({ refusal: 'hidden_links', ...placeOf(node, network.definitionOf(node)) });
	}
	return { sources, executed, refusals };
}
