import type { LogMetadata } from 'n8n-workflow';

import { type NodeResult, type NodeRun, runNode } from './engine';

export interface LogLine {
	level: string;
	message: string;
	metadata: LogMetadata;
}

export interface CollectedLog {
	logger: NonNullable<NodeRun['logger']>;
	lines: LogLine[];
}

/** What n8n's log would hold. */
export function collectLog(): CollectedLog {
	const lines: LogLine[] = [];
	const take =
		(level: string) =>
		(message: string, metadata: LogMetadata = {}): void =>
			void lines.push({ level, message, metadata });
	// As n8n's own logger has one.
	const withLevel = Object.assign(
		{ debug: take('debug'), info: take('info'), warn: take('warn'), error: take('error') },
		{ level: 'debug' },
	);
	return { lines, logger: withLevel };
}

export interface LoggedRun {
	result: NodeResult;
	lines: LogLine[];
}

export async function runLogged(run: NodeRun): Promise<LoggedRun> {
	const { logger, lines } = collectLog();
	return { result: await runNode({ ...run, logger }), lines };
}

/** Without what is different in each run: ids, ports, times and hashes. */
export const plain = (text: string): string =>
	text
		.replace(/(?:job_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
		.replace(/blake3(:|%3A)[0-9a-f]{64}/gi, 'blake3:HASH')
		.replace(/127\.0\.0\.1:\d+/g, 'HOST')
		.replace(/\b[\d.]+ (ms|s|min)\b/g, 'TIME');

export const messagesOf = ({ lines }: Pick<LoggedRun, 'lines'>): string[] => lines.map(({ message }) => plain(message));
