import { picture } from '../client/support/pictures';
import { hurryClock } from './support/clock';
import { runNode } from './support/engine';
import { downloadRun } from './support/files';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { finished } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();
beforeAll(async () => {
	bytes = await picture(1);
});

let bytes: Buffer;
let color = 100;

async function downloaded(headers: Record<string, string>) {
	const credential = credentialFor(sandbox, 'engine');
	const jobId = await finished(sandbox, colorGraph(color++), credential);
	sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: Infinity, answer: { status: 200, body: bytes, headers } });
	return await runNode(downloadRun(credential, [jobId]));
}

describe('F: a file whose headers are wrong', () => {
	it.each(['text/plain', 'application/json', 'video/mp4', 'no type at all', ''])(
		'F: is saved with its bytes if the type is "%s"',
		async (type) => {
			const { error, outputs } = await downloaded({ 'content-type': type });
			expect(error).toBeUndefined();
			expect(outputs[0]?.[0]?.binary?.data).toMatchObject({ mimeType: 'image/png', fileName: expect.stringMatching(/\.png$/) as string });
		},
	);

	it('F: is refused if the type is a web page’s', async () => {
		const { error } = await downloaded({ 'content-type': 'text/html' });
		expect(error?.message).toContain('a web page');
	});

	it('F: is refused, and nothing is saved, if each answer ends before its length', async () => {
		hurryClock();
		const credential = credentialFor(sandbox, 'engine');
		const jobId = await finished(sandbox, colorGraph(7), credential);
		sandbox.inject({ on: 'GET /api/view', surface: 'engine', times: Infinity, fault: { kind: 'truncate', afterBytes: 20 } });
		const { error, outputs } = await runNode(downloadRun(credential, [jobId]));
		expect(error?.message).toMatch(/half an answer|ended early|lost/);
		expect(outputs.flat()).toEqual([]);
	});
});
