import type { IDataObject } from 'n8n-workflow';

import { type InputItem, runNode } from '../support/engine';
import { fileItem } from '../support/files';
import { credentialFor } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { IMAGE, submissionsTo, uploadsTo } from '../support/inputImages';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1');
const other = (id: number, title: string) => ({ [id]: { class_type: 'LoadImage', _meta: { title }, inputs: { image: `${id}.png` } } });
const MASK = { mode: 'name', value: '4.image' };

const BINARY = { from: 'binary', binaryPropertyName: 'data' };
const fromUrl = (url: string) => ({ from: 'url', url });
const fromBase64 = (base64: string) => ({ from: 'base64', base64 });
const fromReference = (reference: unknown) => ({ from: 'reference', reference });

interface Case {
	graph?: ReturnType<typeof invertGraph>;
	row: object;
	second?: object;
	items?: InputItem[];
}

const cases: Array<[string, Case, RegExp, RegExp]> = [
	[
		'a data URL as URL, in the second of two rows',
		{
			graph: { ...invertGraph(), ...other(4, 'Mask') },
			row: fromReference('a.png'),
			second: { ...fromUrl('data:image/png;base64,AAAA'), input: MASK },
		},
		/^File 2 \(4\.image\): URL contains a data URL$/,
		/Set From to Base64\./,
	],
	[
		'a data URL as Binary Field',
		{ row: { ...BINARY, binaryPropertyName: `data:image/png;base64,${'A'.repeat(9_000)}` } },
		/^File 1 .*: Binary Field contains a data URL$/,
		/Set From to Base64\./,
	],
	[
		'a data URL as Reference',
		{ row: fromReference(' data:image/png;base64,AAAA') },
		/: Reference contains a data URL$/,
		/Set From to Base64\./,
	],
	['an address as Base64', { row: fromBase64('https://example.com/cat.png') }, /: Base64 contains a web address$/, /Set From to URL\./],
	[
		'an address as Binary Field',
		{ row: { ...BINARY, binaryPropertyName: 'https://example.com/cat.png' } },
		/: Binary Field contains a web address$/,
		/Set From to URL\./,
	],
	...[
		['filesystem-v2', fromBase64('={{ $json.stored }}')],
		['database', fromBase64('={{ $json.stored }}')],
		['s3:workflows/1', fromUrl('={{ $json.stored }}')],
	].map(([stored, row]): [string, Case, RegExp, RegExp] => [
		`B19: "${String(stored)}" of $binary`,
		{ row: row as object, items: [{ json: { stored } }] },
		/^File 1 .*: (Base64|URL) contains a file of the item from \$binary$/,
		/Set From to Binary Field, and enter the name of its field/,
	]),
	...[fromBase64('={{ $binary.data }}'), { ...BINARY, binaryPropertyName: '={{ $binary.data }}' }].map(
		(row): [string, Case, RegExp, RegExp] => [
			`B19: the object of $binary as ${row.from}`,
			{ row, items: [fileItem(png)] },
			/^File 1 .*: (Base64|Binary Field) contains a file of the item from \$binary$/,
			/Set From to Binary Field/,
		],
	),
	[
		'the content of a file in $binary, which n8n keeps from expressions',
		{ row: fromBase64('={{ $binary.data.data }}'), items: [fileItem(png)] },
		/^Base64 of File 1 .* is empty$/,
		/content of files in \$binary\. For such a file, set From to Binary Field/,
	],
];

it.each(cases)(
	'B19: the message names the right choice of From for %s',
	async (_, { graph = invertGraph(), row, second, items }, message, advice) => {
		const values = [row, ...(second === undefined ? [] : [second])].map((value) => ({ input: IMAGE, ...value }));
		const parameters: IDataObject = { files: { values } };
		const { error } = await runNode(runRun(credentialFor(sandbox), graph, { items, parameters }));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect([submissionsTo(sandbox), uploadsTo(sandbox)]).toEqual([[], []]);
	},
);
