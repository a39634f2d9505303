/** A process that runs the client alone: sends and fetches one large file, and reports how much memory that took. */
import { connect, contentHash } from '../../../client';

const MIB = 1024 * 1024;

export interface TransferOrder {
	baseUrl: string;
	token: string;
	sizeMib: number;
}

export interface TransferReport {
	uploadGrowthMib: number;
	downloadGrowthMib: number;
	bytesSent: number;
	bytesRead: number;
	uploadSeconds: number;
	downloadSeconds: number;
}

async function* zeros(sizeMib: number): AsyncGenerator<Uint8Array> {
	const chunk = Buffer.alloc(MIB, sizeMib);
	for (let sent = 0; sent < sizeMib; sent++) yield chunk;
}

/** How far memory rises above where it stood, in MiB, and how long the work takes. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; growthMib: number; seconds: number }> {
	global.gc?.();
	const before = process.memoryUsage.rss();
	let peak = before;
	const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
	const startedAt = performance.now();
	const result = await work();
	clearInterval(sampling);
	peak = Math.max(peak, process.memoryUsage.rss());
	return { result, growthMib: (peak - before) / MIB, seconds: (performance.now() - startedAt) / 1_000 };
}

async function main({ baseUrl, token, sizeMib }: TransferOrder): Promise<TransferReport> {
	const { assets, close } = connect({ interface: 'v2', baseUrl, token });
	const upload = (size: number) =>
		assets.upload(
			{ open: () => zeros(size), sizeBytes: size * MIB, contentType: 'application/octet-stream' },
			{ filePath: `${size}.bin`, skipIfStored: true },
		);
	const download = async ({ url, size_bytes, hash }: Awaited<ReturnType<typeof upload>>['asset']) => {
		let read = 0;
		for await (const chunk of (await assets.download({ url, sizeBytes: size_bytes, hash })).bytes) read += chunk.byteLength;
		return read;
	};

	await contentHash(zeros(8));
	await download((await upload(8)).asset);
	const up = await measured(() => upload(sizeMib));
	const down = await measured(() => download(up.result.asset));
	await close();
	return {
		uploadGrowthMib: up.growthMib,
		downloadGrowthMib: down.growthMib,
		bytesSent: up.result.bytesSent,
		bytesRead: down.result,
		uploadSeconds: up.seconds,
		downloadSeconds: down.seconds,
	};
}

void main(JSON.parse(process.argv[2] ?? '') as TransferOrder).then((report) => process.stdout.write(JSON.stringify(report)));
