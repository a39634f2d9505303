import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runNode } from './support/engine';
import { downloadRun } from './support/files';
import { credentialFor } from './support/flavours';
import { colorGraph } from './support/graphs';
import { finished, submitRun } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const servers: Server[] = [];
const sandbox = sharedSandbox();
afterAll(async () => {
	for (const server of servers) server.close();
});

async function listen(answer: RequestListener): Promise<string> {
	const server = createServer(answer);
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each(['self_hosted', 'engine', 'hosted'] as const)(
	'F5: says which address to enter when a server (%s) redirects API requests to another one',
	async (flavour) => {
		const elsewhere = 'https://comfy.example.test';
		const origin = await listen(({ url }, response) => void response.writeHead(301, { location: elsewhere + url }).end());
		const credential = credentialFor(sandbox, flavour);
		Object.assign(credential.data, { baseUrl: origin, routerUrl: origin, hostedUrl: origin });
		const { error } = await runNode(submitRun(credential, colorGraph(1), { parameters: { options: { interface: 'automatic' } } }));
		expect(error?.message).toBe(`${origin} redirects API requests to ${elsewhere}`);
		expect(error?.description).toContain(`If ${elsewhere} is the right address, enter it as `);
	},
);

it('F5: says that a file lies behind a link-local address, and connects to nothing there', async () => {
	const jobId = await finished(sandbox, colorGraph(2), credentialFor(sandbox, 'self_hosted'));
	sandbox.inject({
		on: 'GET /api/v2/assets/:id/content',
		times: Infinity,
		answer: { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data/' } },
	});
	const { error } = await runNode(downloadRun(credentialFor(sandbox, 'self_hosted'), [jobId]));
	expect(`${error?.message}`).toContain('169.254.169.254, which is a link-local address');
});
