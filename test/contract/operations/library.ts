import type { WorkflowLibrary } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import type { Callers } from './operationTable';

export type LibraryMethod = `library.${'list' | 'read' | 'templates' | 'template'}`;

export const libraryOperations: Record<string, Callers<LibraryMethod>> = {
	listUserFiles: ['library.list'],
	readUserFile: ['library.read'],
	writeUserFile: { uncalled: 'nobody’s files are changed' },
	deleteUserFile: { uncalled: 'nobody’s files are changed' },
	getUsers: ['library.list'],
	getTemplateIndex: ['library.templates'],
	getTemplate: ['library.template'],
	listPackTemplates: ['library.templates'],
	getPackTemplate: ['library.template'],
};

/** Of a server that keeps `saved.json`. */
export const libraryCalls = (sandbox: Sandbox, library: WorkflowLibrary): Record<LibraryMethod, () => Promise<unknown>> => ({
	'library.list': async () => {
		// As one of several users answers, whom nobody has told of.
		sandbox.inject({ on: 'GET /api/userdata', answer: { status: 500 } });
		await library.list();
	},
	'library.read': async () => {
		await library.read('saved.json');
		await expect(library.read('folder/none & all.json')).rejects.toMatchObject({ code: 'workflow_not_found' });
	},
	'library.templates': async () => await library.templates(),
	'library.template': async () => {
		await expect(library.template('none')).rejects.toMatchObject({ code: 'template_not_found' });
		await expect(library.template('pack/none')).rejects.toMatchObject({ code: 'template_not_found' });
	},
});
