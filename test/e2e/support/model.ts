import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
	role: string;
	content: unknown;
}

interface ToolCall {
	/** A part of the tool's name. */
	tool: string;
	arguments: Record<string, unknown>;
}

/** A tool as the model reads of it. */
export interface OfferedTool {
	function: { name: string; description: string; parameters: { properties: Record<string, { type?: string; description?: string }> } };
}

/** Says what the model does next, given what the tools have answered so far. */
export type Behaviour = (toolAnswers: string[], offered: OfferedTool[]) => ToolCall | string;

const textOf = ({ content }: Message): string => (typeof content === 'string' ? content : JSON.stringify(content));

/** A language model that follows a script, behind the usual chat-completions interface. */
export async function scriptedModel(behaviour: Behaviour): Promise<{ url: string; close: () => Promise<void> }> {
	const answer = (request: { messages: Message[]; tools?: OfferedTool[] }) => {
		const step = behaviour(request.messages.filter(({ role }) => role === 'tool').map(textOf), request.tools ?? []);
		if (typeof step === 'string') return { role: 'assistant', content: step };
		const name = request.tools?.map((tool) => tool.function.name).find((one) => one.includes(step.tool)) ?? step.tool;
		const call = { id: `call-${request.messages.length}`, type: 'function', function: { name, arguments: JSON.stringify(step.arguments) } };
		return { role: 'assistant', content: null, tool_calls: [call] };
	};
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const message = answer(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Parameters<typeof answer>[0]);
			const finish_reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
			const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
			response.setHeader('content-type', 'application/json');
			response.end(
				JSON.stringify({
					id: 'chat',
					object: 'chat.completion',
					created: 0,
					model: 'scripted',
					choices: [{ index: 0, message, finish_reason }],
					usage,
				}),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
