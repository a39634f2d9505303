/** An assistant: the official client of the Model Context Protocol. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface Assistant {
	client: Client;
	/** What a tool answers: its text, and whether it is marked as an error. */
	call(tool: string, fields: Record<string, unknown>, options?: { timeout?: number; signal?: AbortSignal }): Promise<ToolText>;
	close(): Promise<void>;
}

export interface ToolText {
	text: string;
	isError: boolean;
}

const transports = { http: StreamableHTTPClientTransport, sse: SSEClientTransport };

/** @param transport Streamable HTTP, or the older SSE. */
export async function connectAssistant(address: string, token: string, transport: keyof typeof transports = 'http'): Promise<Assistant> {
	const client = new Client({ name: 'assistant', version: '1.0.0' });
	const connection = new transports[transport](new URL(address), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
	await client.connect(connection);
	return {
		client,
		call: async (name, fields, options) => {
			const { content, isError } = await client.callTool({ name, arguments: fields }, undefined, options);
			const [first] = content as Array<{ type: string; text?: string }>;
			return { text: first?.text ?? '', isError: isError === true };
		},
		close: async () => await client.close(),
	};
}
