/** The options of nodes that download the outputs of a job. */
import { choiceOption, type SettingsOf, wholeNumberOption } from '../../options';

export const imageOptions = {
	format: choiceOption({
		displayName: 'Image Format',
		name: 'imageFormat',
		options: [
			{ name: 'Original', value: 'original', description: 'The files as ComfyUI saved them' },
			{ name: 'WebP', value: 'webp', description: 'Small files, also with transparency' },
			{
				name: 'JPEG',
				value: 'jpeg',
				description: 'Small files that every program opens. Images with transparency keep their format.',
			},
		],
		default: 'original',
		description:
			'Format into which your ComfyUI converts images for the download. The converted file has no metadata: no workflow and no prompt. Animations and other files keep their format. Only with Self-Hosted, and not through the API proxy.',
	}),
	quality: wholeNumberOption(
		{
			displayName: 'Image Quality',
			name: 'imageQuality',
			default: 90,
			description: 'Quality of converted images. A lower value makes a smaller file. Used only if Image Format is WebP or JPEG.',
		},
		{ least: 1, most: 100 },
	),
};

export type ImageSettings = SettingsOf<typeof imageOptions>;
