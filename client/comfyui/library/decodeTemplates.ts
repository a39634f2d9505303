import { listOf, requireRecord, recordsOf, textOr } from '../../decode';
import { ShapeError } from '../../errors';
import type { Library } from '../../generated/library';
import type { WorkflowTemplate } from '../../ports';

/** Groups of `templates`, as the package beside the web interface lists them. @throws ShapeError when this is no list. */
export function decodeIndex(value: unknown): WorkflowTemplate[] {
	if (!Array.isArray(value)) throw new ShapeError('answer is no list of groups');
	return recordsOf<Library['TemplateGroup']>(value).flatMap(({ title: group, templates }) =>
		recordsOf<Library['Template']>(templates).flatMap(({ name: given, title, description }) => {
			const name = textOr(given, '');
			return isTemplateName(name)
				? [{ name, title: textOr(title, name), description: textOr(description, ''), group: textOr(group, '') }]
				: [];
		}),
	);
}

/** Pack → names. A template of a pack is called `<pack>/<name>`: no name of ComfyUI's own holds a slash. */
export const decodePacks = (value: unknown): WorkflowTemplate[] =>
	Object.entries(requireRecord(value, 'answer')).flatMap(([pack, names]) =>
		listOf(names)
			.filter((name): name is string => typeof name === 'string' && isTemplateName(name) && isTemplateName(pack))
			.map((name) => ({ name: `${pack}/${name}`, title: name, description: '', group: pack })),
	);

const isTemplateName = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
