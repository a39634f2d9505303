import type { NodeReplacements } from '../../sandbox/behaviour';

const entry = (old_node_id: string, new_node_id: string, more: object = {}) => ({
	new_node_id,
	old_node_id,
	old_widget_ids: null,
	input_mapping: null,
	output_mapping: null,
	...more,
});

/** What a pack and ComfyUI register: renamed inputs, a fixed value, no mapping, and a class that this server does not have. */
export const RETIRED: NodeReplacements = {
	AcmeScale: [
		entry('AcmeScale', 'ImageScale', {
			old_widget_ids: ['size_x', 'size_y', 'quality'],
			input_mapping: [
				{ new_id: 'image', old_id: 'picture' },
				{ new_id: 'upscale_method', set_value: 'bicubic' },
				{ new_id: 'width', old_id: 'size_x' },
				{ new_id: 'height', old_id: 'size_y' },
				{ new_id: 'crop', set_value: 'disabled' },
			],
		}),
		entry('AcmeScale', 'ImageInvert'),
	],
	'EmptyImage ': [entry('EmptyImage ', 'EmptyImage')],
	AcmeGone: [entry('AcmeGone', 'AcmeNew')],
};
