import { logDecision, type Decision, type Exchange, withObserver, type Observer, runAsShared } from '../../../client/log/observer';
import { keepSocket } from '../../../client/transport/keepSocket';
import { json } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();

class Collected implements Observer {
	readonly exchanges: Exchange[] = [];
	readonly decisions: Decision[] = [];
	constructor(readonly shared?: Observer) {}
	onExchange(exchange: Exchange): void {
		this.exchanges.push(exchange);
	}
	onDecision(decision: Decision): void {
		this.decisions.push(decision);
	}
}

const facts = (status: number, address: string, more: Partial<Exchange> = {}) => ({
	method: 'GET',
	address,
	status,
	attempt: 1,
	milliseconds: expect.any(Number) as number,
	requestId: undefined,
	...more,
});

test('an exchange is reported by method, address, status, time and request id, without its query', async () => {
	const service = await server(json(404, {}, { 'x-comfy-request-id': 'req-1' }));
	const seen = new Collected();
	const http = client({ origin: service.origin, credential: { authorization: 'Bearer secret' } });
	const response = await withObserver(seen, async () => await http.request(get(`${service.origin}/api/jobs/7?token=secret#part`)));
	await response.discard();
	expect(seen.exchanges).toEqual([facts(404, `${service.origin}/api/jobs/7`, { requestId: 'req-1' })]);
});

test('each hop of a redirect is reported, and another origin and a user’s own address without their paths', async () => {
	const storage = await server(json(200, {}));
	const service = await server(
		(_request, response) => void response.writeHead(302, { location: `${storage.origin}/capability?sig=1` }).end(),
	);
	const seen = new Collected();
	const response = await withObserver(
		seen,
		async () => await client({ origin: service.origin }).request(get(`${service.origin}/content`, { allowsOtherOrigins: true })),
	);
	await response.discard();
	const web = client({ origin: storage.origin, isAnyServer: true });
	await (await withObserver(seen, async () => await web.request(get(`${storage.origin}/file/bot:secret/cat.png`)))).discard();
	const hidden = facts(200, `${storage.origin}/…`);
	expect(seen.exchanges).toEqual([facts(302, `${service.origin}/content`), hidden, hidden]);
});

test('shared work is reported to the shared observer, or else to the observer itself', () => {
	const [shared, alone] = [new Collected(), new Collected()];
	withObserver(new Collected(shared), () => runAsShared(() => logDecision({ kind: 'file_is_new' })));
	withObserver(alone, () => runAsShared(() => logDecision({ kind: 'file_is_stored' })));
	expect([shared.decisions, alone.decisions]).toEqual([[{ kind: 'file_is_new' }], [{ kind: 'file_is_stored' }]]);
});

test('a rejected socket is reported, with the time of the next attempt', async () => {
	const service = await server(json(401, {}));
	const seen = new Collected();
	const stopping = new AbortController();
	await withObserver(
		seen,
		async () =>
			await keepSocket(
				{ url: () => new URL(`${service.origin}/ws?token=secret`), readError: async () => await Promise.resolve(new Error('refused')) },
				{ onOpen: () => undefined, onMessage: () => undefined, onDown: () => stopping.abort() },
				stopping.signal,
			),
	);
	const address = service.origin.replace('http', 'ws') + '/ws';
	expect(seen.exchanges).toEqual([{ ...facts(401, address), requestId: undefined }]);
	expect(seen.decisions).toMatchObject([{ kind: 'socket_down', openMs: undefined }]);
	expect(JSON.stringify(seen)).not.toContain('secret');
});
