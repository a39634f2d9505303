/** A subgraph as the editor saves it as a blueprint: one node, which shows two widgets of an image of one color. */

const SUBGRAPH = '0d9e2d5c-53b1-4b1c-9d3a-3f6a1c7e5b20';
const BORDER_IN = -10;
const BORDER_OUT = -20;

const widgetSocket = (id: string, name: string, linkIds: number[]) => ({ id, name, type: 'INT', linkIds, pos: [0, 0] });
const widgetInput = (name: string, link: number | null) => ({ name, type: 'INT', widget: { name }, link });
const innerLink = (id: number, origin: number, originSlot: number, target: number, targetSlot: number, type: string) => ({
	id,
	origin_id: origin,
	origin_slot: originSlot,
	target_id: target,
	target_slot: targetSlot,
	type,
});

/** @param savesInside it contains a node that saves the image, and has no output. Otherwise its image is an output. */
export function blueprintFile(name: string, { savesInside = false } = {}): Record<string, unknown> {
	const outputs = savesInside
		? []
		: [{ id: '3f0f5e0a-0000-4000-8000-000000000003', name: 'IMAGE', type: 'IMAGE', linkIds: [3], pos: [0, 0] }];
	const target = savesInside ? 2 : BORDER_OUT;
	return {
		revision: 0,
		last_node_id: 7,
		last_link_id: 0,
		nodes: [
			{
				id: 7,
				type: SUBGRAPH,
				pos: [200, 100],
				size: [280, 120],
				flags: {},
				order: 0,
				mode: 0,
				inputs: [widgetInput('width', null), widgetInput('color', null)],
				outputs: savesInside ? [] : [{ name: 'IMAGE', type: 'IMAGE', links: [] }],
				properties: {},
				widgets_values: [32, 0x3366cc],
			},
		],
		links: [],
		version: 0.4,
		definitions: {
			subgraphs: [
				{
					id: SUBGRAPH,
					version: 1,
					state: { lastGroupId: 0, lastNodeId: 2, lastLinkId: 3, lastRerouteId: 0 },
					name,
					inputNode: { id: BORDER_IN, bounding: [0, 0, 120, 80] },
					outputNode: { id: BORDER_OUT, bounding: [600, 0, 120, 60] },
					inputs: [
						widgetSocket('3f0f5e0a-0000-4000-8000-000000000001', 'width', [1]),
						widgetSocket('3f0f5e0a-0000-4000-8000-000000000002', 'color', [2]),
					],
					outputs,
					widgets: [],
					nodes: [
						{
							id: 1,
							type: 'EmptyImage',
							pos: [200, 100],
							size: [270, 130],
							flags: {},
							order: 0,
							mode: 0,
							inputs: [widgetInput('width', 1), widgetInput('color', 2)],
							outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [3] }],
							properties: { 'Node name for S&R': 'EmptyImage' },
							widgets_values: [64, 16, 1, 0],
						},
						...(savesInside
							? [
									{
										id: 2,
										type: 'SaveImage',
										pos: [520, 100],
										size: [270, 130],
										flags: {},
										order: 1,
										mode: 0,
										inputs: [{ name: 'images', type: 'IMAGE', link: 3 }],
										outputs: [],
										properties: { 'Node name for S&R': 'SaveImage' },
										widgets_values: ['blueprint'],
									},
								]
							: []),
					],
					links: [innerLink(1, BORDER_IN, 0, 1, 0, 'INT'), innerLink(2, BORDER_IN, 1, 1, 1, 'INT'), innerLink(3, 1, 0, target, 0, 'IMAGE')],
				},
			],
		},
	};
}
