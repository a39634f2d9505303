/** Plain requests to each server of the sandbox: what is called wrongly, or without a key, has the answer that is described. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { checkedCall, type CallOptions } from './calls';
import { Contract, type Operation } from './contract';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

interface Server {
	contract: string;
	/** The address that the paths of the description come below. */
	base: (urls: Sandbox['urls']) => string;
	/** Without one the server needs no key. */
	credential?: (keys: Sandbox['keys']) => Record<string, string>;
	/** What the client does not call, and the socket, which has no plain answer. */
	skipped?: string[];
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const SERVERS: Record<string, Server> = {
	'v2, the hosted account': { contract: 'v2', base: ({ hosted }) => `${hosted}/api/v2`, credential: ({ apiKey }) => bearer(apiKey) },
	'v2, a deployment': { contract: 'v2', base: ({ deployment }) => `${deployment}/api/v2`, credential: ({ apiKey }) => bearer(apiKey) },
	'v2, the API proxy': { contract: 'v2', base: ({ self_hosted }) => `${self_hosted}/api/v2` },
	'v2, the API proxy with a token': {
		contract: 'v2',
		base: ({ self_hosted_token_url: url }) => `${url}/api/v2`,
		credential: ({ bearer: key }) => bearer(key),
		skipped: ['getJobLogs'],
	},
	'v1, the hosted account': { contract: 'v1', base: ({ hosted }) => hosted, credential: ({ apiKey }) => ({ 'x-api-key': apiKey }) },
	'an engine': { contract: 'engine', base: ({ engine }) => `${engine}/api` },
	'the router below /v1': {
		contract: 'router',
		base: ({ router }) => `${router}/v1`,
		credential: ({ apiKey }) => ({ 'x-api-key': apiKey }),
	},
	'the router below /v2': { contract: 'router', base: ({ router }) => `${router}/v2`, credential: ({ jwt }) => bearer(jwt) },
};

describe.each(Object.entries(SERVERS))('%s', (_name, { contract: file, base, credential, skipped = [] }) => {
	const contract = new Contract(`${file}.yaml`);
	const operations = [...contract.operations.values()].filter(({ id }) => !['openSocket', ...skipped].includes(id));
	const call = async ({ id, method }: Operation, options: CallOptions = {}) =>
		await checkedCall(contract, id, base(sandbox.urls), { ...(method === 'POST' && { json: {} }), ...options });

	test('each operation answers a request for what does not exist, or without its fields, as described', async () => {
		const headers = credential?.(sandbox.keys);
		for (const operation of operations) expect((await call(operation, { headers })).status).not.toBe(401);
	});

	if (credential !== undefined)
		test('no operation answers without the key, or with a wrong one', async () => {
			const [name = ''] = Object.keys(credential(sandbox.keys));
			const statuses = new Map<string, number[]>();
			for (const operation of operations) {
				const answers = [await call(operation), await call(operation, { headers: { [name]: 'Bearer wrong' } })];
				statuses.set(
					operation.id,
					answers.map(({ status }) => status),
				);
			}
			expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(operations.map(({ id }) => [id, [401, 401]])));
		});
});
