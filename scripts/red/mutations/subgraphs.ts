import type { Mutation } from './mutation';

export const subgraphs: Mutation[] = (
	[
		[
			'values outside belong to the widgets behind the borders, in their order',
			'promoted',
			'filter((socket) => this.behind(inside, socket) !== undefined);',
			'filter(() => true);',
			'subgraph/promoted-outside',
		],
		[
			'what an instance holds stands above its inside',
			'flatten',
			'this.promoted.set(id, value);',
			"this.promoted.set(id, 'value' in value ? { value: undefined } : value);",
			'subgraph/promoted-outside',
		],
		[
			'an inner instance keeps what it holds itself',
			'promoted',
			'if (held !== undefined) return',
			'if (held !== undefined && !path.includes(`:${host.id}:`)) return',
			'subgraph/nested-middle',
		],
		['a muted subgraph does not run', 'flatten', '(place === root && !isActive(node))', 'false', 'subgraph/muted-instance'],
		[
			'ids that stand in two levels are numbered anew',
			'levels',
			'if (taken.has(id)) ids.set(id, nextId());',
			'if (taken.has(id)) ids.set(id, id);',
			'subgraph/ids-twice',
		],
		[
			'widgets that a property names take their values',
			'proxies',
			'this.hold(host, inside, socket.name, proxy.value);',
			'',
			'subgraph/proxies becomes',
		],
		[
			'values of widgets that are borders already are told apart from others',
			'proxies',
			"(nodeId === '-1' ? this.hold(host, inside, name, value) : undefined)",
			'undefined',
			'subgraph/proxies-and-borders',
		],
		[
			'the value of a primitive node ends at a border',
			'flatten',
			'wentOut && node?.className === PRIMITIVE',
			'false',
			'subgraph/primitive-outside',
		],
		[
			'what a group of the older kind holds outside counts',
			'groups',
			'if (value !== undefined) node.given.set(spec.name, value);',
			'',
			'group/values',
		],
		['what the frontend of today reads otherwise is noted', 'groups', 'if (group.isReadOtherwise)', 'if (false)', 'group/choices-as-lists'],
	] as const
).map(([rule, file, from, to, test]) => ({
	rule,
	file: `client/graph/convert/expand/${file}.ts`,
	from,
	to,
	suite: 'test/client/graph/convert/recorded.test.ts',
	test,
}));
