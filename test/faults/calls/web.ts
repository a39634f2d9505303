/** Files on their way: from any address of the web, and from the storage that the service's links lead to. */
import { createHash } from 'node:crypto';

import { connect, openWebFile } from '../../../client';
import { chunksOf, collect, patterned } from '../../client/support/bytes';
import { byRules, DONE } from '../outcomes';
import { OTHER_BYTES_OF_ITS_LENGTH } from '../faults/bodies';
import type { Attempts, Call, CallContext, Expectation, Fault, Outcome } from '../shapes';
import { oncePerSandbox } from './speakers';

const BYTES = patterned(300_000);
const LARGEST_BYTES = 1_000_000;

interface StoredFile {
	/** Signed, of the sandbox's own storage. */
	url: string;
	hash: string;
}

const store = oncePerSandbox(async ({ sandbox: { urls, keys } }): Promise<StoredFile> => {
	const connection = connect({ interface: 'v2', baseUrl: urls.hosted, token: keys.apiKey });
	try {
		const { asset } = await connection.assets.upload(
			{ open: () => chunksOf(BYTES), sizeBytes: BYTES.length, contentType: 'application/octet-stream' },
			{ filePath: 'matrix.bin' },
		);
		return { url: String(asset.url), hash: String(asset.hash) };
	} finally {
		await connection.close();
	}
});

/** One file for all cells of a sandbox, by its link through the proxy of this one. */
async function fileOf(context: CallContext): Promise<StoredFile> {
	const { url, hash } = await store(context);
	return { url: url.replace(context.sandbox.urls.storage, context.urls.storage), hash };
}

/** Addresses inside that no cell may reach: what stands at one would have noticed. */
const guardOf = ({ urls, stranger }: CallContext) => {
	const mayBeReached = new Set([...Object.values(urls), stranger].map((address) => new URL(address).origin));
	return {
		validateUrl: async (url: URL): Promise<void> => {
			if (!mayBeReached.has(url.origin)) await Promise.reject(new Error('This address is inside'));
		},
	};
};

const OTHER_BYTES: Outcome = 'other bytes';

function checked(bytes: Buffer): Outcome {
	const sum = (one: Buffer): string => createHash('sha256').update(one).digest('hex');
	return sum(bytes) === sum(BYTES) ? DONE : OTHER_BYTES;
}

/** Of a server that ends each answer early, the rest is asked for, until all is there. */
const COMES_IN_PARTS = 'length longer than the body';
/** Storage refuses an old link so; a new one is asked for once. */
const EXPIRED = [400, 401, 403, 404, 410];

const statusOf = ({ seen, family, name }: Fault): number =>
	family === 'redirects' ? (name.includes('another origin') ? 401 : 302) : typeof seen === 'object' ? seen.status : 200;

/** As a download ends where the rules cannot know. */
export function downloadEnds(fault: Fault, attempts: Attempts, isRefreshed: boolean, isHashed: boolean): Expectation | undefined {
	if (fault.name === COMES_IN_PARTS) return { outcome: DONE, because: 'the rest is asked for, and there is none' };
	if (fault.name === OTHER_BYTES_OF_ITS_LENGTH)
		return { outcome: isHashed ? 'integrity hash' : OTHER_BYTES, because: 'only a hash tells bytes of the server from bytes of the file' };
	if (fault.name === 'gzip cut short' && attempts === 'every')
		return { outcome: 'unreadable truncated', because: 'of a coded body nobody knows how much is missing' };
	if (isRefreshed && attempts === 'first' && EXPIRED.includes(statusOf(fault)))
		return { outcome: DONE, because: 'a new link is asked for once' };
	return undefined;
}

/** The same, in the words of files from the web. */
function asWebFile({ outcome, because }: Expectation): Expectation {
	const status = /unreadable \w+ (\d+)/.exec(outcome)?.[1];
	if (outcome === DONE || outcome === OTHER_BYTES) return { outcome, because };
	if (/truncated|connection lost/.test(outcome)) return { outcome: 'web broken off', because };
	if (/^connection /.test(outcome)) return { outcome: outcome.replace('connection', 'web'), because };
	if (/html$/.test(outcome)) return { outcome: 'web web_page', because };
	if (status === undefined) return { outcome: 'web refused 200', because };
	return { outcome: Number(status) < 400 ? 'web redirects' : `web refused ${status}`, because };
}

/** By a link of the service, as one that announces all, or as little, of a file. */
const download = (
	name: string,
	told: (file: StoredFile) => { sizeBytes?: number; hash?: string },
	{ isRefreshed, isHashed }: Record<'isRefreshed' | 'isHashed', boolean>,
): Call => ({
	name,
	expects: (fault, attempts) => downloadEnds(fault, attempts, isRefreshed, isHashed),
	wire: 'file',
	on: 'GET /blobs/*',
	at: 'storage',
	repeatable: true,
	run: async (context) => {
		const connection = connect({
			interface: 'v2',
			baseUrl: context.urls.hosted,
			token: context.sandbox.keys.apiKey,
			outboundNetwork: guardOf(context),
		});
		try {
			const file = await fileOf(context);
			const { bytes } = await connection.assets.download({
				url: file.url,
				contentType: 'application/octet-stream',
				...told(file),
				...(isRefreshed && { freshUrl: async () => (await fileOf(context)).url }),
			});
			return checked(await collect(bytes));
		} finally {
			await connection.close();
		}
	},
});

export const webCalls: readonly Call[] = [
	{
		name: 'web file',
		expects: (fault, attempts, call) => {
			const asFile: Call = { ...call, wire: 'file' };
			return asWebFile(
				downloadEnds(fault, attempts, false, false) ?? fault.expects?.(asFile, attempts) ?? byRules(fault, asFile, attempts),
			);
		},
		wire: 'web',
		on: 'GET /blobs/*',
		at: 'storage',
		repeatable: true,
		run: async (context) => {
			const { url } = await fileOf(context);
			const file = await openWebFile(url, { largestBytes: LARGEST_BYTES, outboundNetwork: guardOf(context) });
			try {
				return checked(await collect(await file.source.open()));
			} finally {
				await file.close();
			}
		},
	},
	download('file of which nothing is known', () => ({}), { isRefreshed: true, isHashed: false }),
	download('file whose link is the only one', ({ hash }) => ({ sizeBytes: BYTES.length, hash }), { isRefreshed: false, isHashed: true }),
];
