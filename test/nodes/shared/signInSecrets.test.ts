import type { IDataObject } from 'n8n-workflow';

import { type Credential, type NodeResult, type NodeRun, runNode as runSilently } from '../support/engine';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { collectLog } from '../support/log';
import { manageRun } from '../support/manage';
import { noise } from '../support/pictures';
import { sharedSandbox } from '../support/sandbox';
import { finished, submitRun, waitRun } from '../support/submit';

const sandbox = sharedSandbox();
const debugLog = collectLog();
const printed: string[] = [];

const MARKER = 'marker-8d2e7';
const PASSWORD = `${MARKER} wörd`;
const LOGIN = Buffer.from(`ann:${PASSWORD}`).toString('base64');
const signIns: Array<[label: string, engineAuthorization: string, fields: IDataObject, secrets: string[]]> = [
	['User And Password', `Basic ${LOGIN}`, { signIn: 'basic', user: 'ann', password: PASSWORD }, [`Basic ${LOGIN}`, LOGIN, PASSWORD]],
	[
		'Bearer Token',
		`Bearer ${MARKER}-bearer`,
		{ signIn: 'bearer', bearerToken: `${MARKER}-bearer` },
		[`Bearer ${MARKER}-bearer`, `${MARKER}-bearer`],
	],
	[
		'Headers',
		`Key ${MARKER}-row`,
		{
			signIn: 'headers',
			headers: {
				values: [
					{ name: 'Authorization', value: `Key ${MARKER}-row` },
					{ name: 'X-Two', value: `${MARKER}-two` },
				],
			},
		},
		[`Key ${MARKER}-row`, `${MARKER}-row`, `${MARKER}-two`],
	],
];

let jobId: string;
let picture: Buffer;
beforeAll(async () => {
	({ png: picture } = await noise());
	jobId = await finished(sandbox, colorGraph(99), credentialFor(sandbox, 'engine'));
});
beforeEach(() => {
	debugLog.lines.length = 0;
	printed.length = 0;
	for (const stream of [process.stdout, process.stderr]) {
		jest.spyOn(stream, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
	}
});

const credentialWith = (fields: IDataObject): Credential =>
	credentialFor(sandbox, 'engine', { token: '', engineAuthorizationSecret: '', ...fields });
const runNode = async (run: NodeRun): Promise<NodeResult> => await runSilently({ ...run, logger: debugLog.logger });

const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0 } } };
const operations: Array<[name: string, run: (credential: Credential) => NodeRun]> = [
	['upload', (credential) => uploadRun(credential, [fileItem(picture)])],
	['submit', (credential) => submitRun(credential, colorGraph(1), AT_ONCE)],
	['wait', (credential) => waitRun(credential, [jobId])],
	['get workflow', (credential) => workflowRun(credential, [jobId])],
	['download', (credential) => downloadRun(credential, [jobId])],
	['get queue', (credential) => manageRun(credential, 'queue:get')],
	['get node definitions', (credential) => manageRun(credential, 'nodeDefinition:getAll', { parameters: { classes: 'SaveImage' } })],
];

const hasSecret = (content: unknown): boolean => [MARKER, LOGIN].some((secret) => String(JSON.stringify(content)).includes(secret));
const placesWithSecret = ({ outputs, error, contextData, stored }: NodeResult): string[] =>
	Object.entries({ outputs, error, contextData, stored, printed, debugLog: debugLog.lines }).flatMap(([place, content]) =>
		hasSecret(content) ? [place] : [],
	);

async function expectNoLeak(credential: Credential, status: NodeResult['status'], settings: NodeRun['settings'] = {}): Promise<void> {
	for (const [name, run] of operations) {
		const result = await runNode({ ...run(credential), settings });
		expect([name, result.status, placesWithSecret(result)]).toEqual([name, status, []]);
	}
	expect(debugLog.lines).not.toEqual([]);
}

describe.each(signIns)('the secrets of %s', (_, engineAuthorization, fields, secrets) => {
	it('reach the server, and stay out of items, errors and logs', async () => {
		sandbox.configure({ engineAuthorization });
		await expectNoLeak(credentialWith(fields), 'success');
		expect(sandbox.requests('* *', 'engine').every(({ headers }) => headers.authorization === engineAuthorization)).toBe(true);
	});

	it('stay out of items, errors and logs if the server rejects them', async () => {
		sandbox.configure({ engineAuthorization: 'Basic other' });
		await expectNoLeak(credentialWith(fields), 'error');
		await expectNoLeak(credentialWith(fields), 'success', { onError: 'continueRegularOutput' });
	});

	it('are masked in an error in which the server repeats them', async () => {
		sandbox.configure({ engineAuthorization });
		for (const secret of secrets) {
			const answer = { status: 400, code: 'x', message: `${secret} is not allowed` };
			sandbox.inject({ on: 'POST /api/prompt', surface: 'engine', answer });
			const result = await runNode(submitRun(credentialWith(fields), colorGraph(6), AT_ONCE));
			expect(JSON.stringify(result.error)).toMatch(/\*\*\* is not allowed/);
			expect(placesWithSecret(result)).toEqual([]);
		}
	});
});
