import { connect, type ServerConnection, type InterfaceName } from '../../../client';
import { failureOf } from './bytes';
import { serve, type Answer, type TestServer } from './server';

/** One server and a connection to it for the tests of a file; each test says what is answered. */
export function useAnswers(name: InterfaceName) {
	let server: TestServer;
	let connection: ServerConnection;
	let answer: Answer;
	beforeAll(async () => {
		server = await serve((request, response) => answer(request, response));
		connection = connect({ interface: name, baseUrl: server.origin, readBudgetMs: 0, limits: { requestMs: 2_000 } });
	});
	beforeEach(() => void server.seen.splice(0));
	afterAll(async () => {
		await connection.close();
		await server.close();
	});
	return {
		get server() {
			return server;
		},
		/** What a call makes of an answer: by default the read of job `a`. */
		failure: async (answering: Answer, call: (connection: ServerConnection) => Promise<unknown> = ({ jobs }) => jobs.get('a')) => {
			answer = answering;
			return await failureOf(call(connection));
		},
	};
}

/** Answers with these very bytes, under the request id `req-1`. */
export const raw =
	(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Answer =>
	(_request, response) =>
		void response.writeHead(status, { 'content-type': contentType, 'x-comfy-request-id': 'req-1', ...headers }).end(body);
