import { runNode } from '../support/engine';
import { jsonRun, routerCredential } from '../support/router';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const PICTURE = { 'content-type': 'image/png' };
const attached = (disposition: string) => ({ ...PICTURE, 'content-disposition': disposition });
const inAnyScript = `attachment; filename="cat.png"; filename*=UTF-8''${encodeURIComponent('猫 "x".png')}`;
const inBytes = `attachment; filename="${Buffer.from('猫.png').toString('latin1')}"`;

it.each<[string, Record<string, string>, string | RegExp]>([
	['as the server says', attached('attachment; filename="a cat.png"'), 'a cat.png'],
	['as the server says, without quotes', attached('inline; FileName=cat.png'), 'cat.png'],
	['as the server says in any script', attached(inAnyScript), '猫 _x_.png'],
	['as the server says in bytes of UTF-8', attached(inBytes), '猫.png'],
	['safely', attached('attachment; filename="..\\\\..\\\\nul.png"'), '_nul.png'],
	['by its type when its address has no name (PDF)', { 'content-type': 'application/pdf' }, /^[^.]+\.pdf$/],
	['by its type when its address has no name (M4A)', { 'content-type': 'audio/x-m4a' }, /^[^.]+\.m4a$/],
	['by its type when its address has no name (OBJ)', { 'content-type': 'model/obj' }, /^[^.]+\.obj$/],
	['by its type when its address has no name (MKV)', { 'content-type': 'video/x-matroska' }, /^[^.]+\.mkv$/],
])('a result file is named %s', async (_, headers, expected) => {
	sandbox.inject({ on: 'GET *', surface: 'storage', answer: { status: 200, body: Buffer.from('bytes'), headers } });
	const { outputs } = await runNode(jsonRun(routerCredential(sandbox), 'lab/image', { prompt: 'a lighthouse' }));
	const fileName = outputs[0]?.[0]?.binary?.data?.fileName;
	expect(fileName).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
});
