import { HttpClient, type HttpRequest, type HttpSettings } from '../../../client/transport/http';
import { serve, type TestServer } from './server';

/** Servers and clients that are closed after each test. */
export function useTransport() {
	const open: Array<{ close(): Promise<void> }> = [];
	afterEach(async () => {
		await Promise.all(open.splice(0).map((one) => one.close()));
	});
	return {
		server: async (...start: Parameters<typeof serve>): Promise<TestServer> => {
			const started = await serve(...start);
			open.push(started);
			return started;
		},
		client: (settings: HttpSettings): HttpClient => {
			const made = new HttpClient(settings);
			open.push(made);
			return made;
		},
	};
}

export const get = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({ method: 'GET', url: new URL(url), ...rest });
