import { runNode } from '../support/engine';
import { jsonRun, routerCredential } from '../support/router';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

/** What a result file is saved under that comes with these headers. */
async function nameWith(headers: Record<string, string>): Promise<string | undefined> {
	sandbox.inject({ on: 'GET *', surface: 'storage', answer: { status: 200, body: Buffer.from('bytes'), headers } });
	const run = jsonRun(
		routerCredential(sandbox, 'comfyApi'),
		'lab/image',
		{ prompt: 'a lighthouse' },
		{ parameters: { options: { downloadResultFiles: true } } },
	);
	return (await runNode(run)).outputs[0]?.[0]?.binary?.data?.fileName;
}

describe('a result file is named', () => {
	it.each([
		['as the server says', 'attachment; filename="a cat.png"', 'a cat.png'],
		['as the server says, without quotes', 'inline; FileName=cat.png', 'cat.png'],
		[
			'as the server says in any script',
			`attachment; filename="cat.png"; filename*=UTF-8''${encodeURIComponent('猫 "x".png')}`,
			'猫 _x_.png',
		],
		['as the server says in bytes of UTF-8', `attachment; filename="${Buffer.from('猫.png').toString('latin1')}"`, '猫.png'],
		['safely', 'attachment; filename="..\\\\..\\\\nul.png"', '_nul.png'],
	])('%s', async (_, disposition, expected) => {
		expect(await nameWith({ 'content-type': 'image/png', 'content-disposition': disposition })).toBe(expected);
	});

	it.each([
		['application/pdf', 'pdf'],
		['audio/x-m4a', 'm4a'],
		['model/obj', 'obj'],
		['video/x-matroska', 'mkv'],
	])('by its type when its address has no name (%s)', async (contentType, extension) => {
		expect(await nameWith({ 'content-type': contentType })).toMatch(new RegExp(`^[^.]+\\.${extension}$`));
	});
});
