import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { nodes } from '../nodes/support/engine';
import { GraphError } from '../../client';
import { wordsFor } from '../../nodes/shared/messages/wordsFor';

const root = join(__dirname, '../..');

const filesIn = (folder: string): string[] =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.map((path) => join(folder, path))
		.filter((path) => statSync(join(root, path)).isFile());

/** What people read of this package, and where it is written. */
const texts: Array<[string, string]> = [
	...['README.md', 'CONTRIBUTING.md', ...filesIn('examples')].map((path): [string, string] => [
		path,
		readFileSync(join(root, path), 'utf8'),
	]),
	...Object.entries(nodes).map(([name, { description }]): [string, string] => [`the fields of ${name}`, JSON.stringify(description)]),
	['the message about the editor’s format', wordsFor(new GraphError({ fault: 'ui_format' })).advice],
];
const naming = texts.filter(([, text]) => /Export \(API\)/.test(text));

it('every text about the export names the current menu first, and calls the other one older', () => {
	expect(naming.map(([where]) => where)).toEqual(
		expect.arrayContaining([
			'README.md',
			'examples/step-by-step.json',
			'the fields of comfySubmitWorkflow',
			'the message about the editor’s format',
		]),
	);
	for (const [, text] of naming) {
		expect(text).toMatch(/^[^]*?File > Export \(API\)/);
		expect(text.indexOf('File > Export (API)')).toBeLessThan(text.indexOf('Workflow > Export (API)'));
		expect(text).toMatch(/(older versions|before October 2025): \**Workflow > Export \(API\)/);
	}
});
