import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { projectRoot } from '../../n8nHost/paths';
import { type FileContest, fileContest } from '../files/fileContest';
import { atMost, bytesOf, type Measure, resultOf, type Scale, shownNumber, type Topic } from './topic';

const CLIENT = 'this package’s client';
const CURL = 'curl';
const SDK = '@comfyorg/sdk';
const HASH = 'reading and hashing alone';
const UPLOAD = 'Comfy Upload Asset';
const DOWNLOAD = 'Comfy Download Outputs';

const sizeOf = (mib: number): string => (mib >= 1_024 ? `${shownNumber(mib / 1_024)} GiB` : `${Math.max(1, Math.round(mib))} MiB`);

const measured =
	(asked: Pick<FileContest, 'contestants' | 'hashes' | 'isStored'>) =>
	async (scale: Scale): Promise<Measure[]> => {
		const measures: Measure[] = [];
		for (const times of scale.sizes) {
			const mib = scale.fileMib * times;
			const folder = join(projectRoot, '.cache/bench', randomUUID());
			const rounds = times === 1 ? scale.rounds : scale.roundsBeside;
			measures.push({ size: sizeOf(mib), results: await fileContest(folder, { ...asked, bytes: bytesOf(mib), rounds }) });
		}
		return measures;
	};

const MIB = 1024 * 1024;
const shown = {
	requests: ({ requests = 0 }: Record<string, number>) => String(requests),
	sent: ({ bodyBytes = 0 }: Record<string, number>) => (bodyBytes < MIB ? `${bodyBytes} bytes` : sizeOf(bodyBytes / MIB)),
};

export const FILE_TOPICS: readonly Topic[] = [
	{
		name: 'upload',
		times: 'compared',
		title: 'Upload of a file',
		how: 'A file in n8n’s store (for curl, on the disk) is sent as it is: *Skip If Already Stored* is off.',
		means: 'A film of some gigabytes is sent about as fast as the network takes it, and n8n needs no memory for it.',
		shown,
		measure: measured({
			contestants: {
				[UPLOAD]: 'node.uploadByNode',
				[CLIENT]: 'client.uploadByClient',
				[CURL]: 'curl.uploadByCurl',
			},
			hashes: false,
		}),
		goals: (results) => {
			const node = resultOf(results, UPLOAD);
			return [atMost('Upload: time ÷ curl’s', node.ratios[CURL] ?? NaN, 1.05), atMost('Upload: memory', node.peakMib, 16, ' MiB')];
		},
	},
	{
		name: 'upload-hash',
		times: 'compared',
		title: 'Upload with the file’s hash, where the service does not have it',
		how: 'The default: the file is hashed first, and sent because the service does not know it. The SDK always works so.',
		means: 'Asking first costs the time that BLAKE3 takes, once; a file that is used again is not sent again.',
		shown,
		measure: measured({
			contestants: {
				[UPLOAD]: 'node.uploadByNode',
				[CLIENT]: 'client.uploadByClient',
				[SDK]: 'sdk.uploadBySdk',
				[HASH]: 'hashAlone.hashAlone',
				[CURL]: 'curl.uploadByCurl',
			},
			hashes: true,
		}),
		goals: (results) => {
			const [node, hash, curl] = [UPLOAD, HASH, CURL].map((name) => resultOf(results, name).ms) as [number, number, number];
			return [atMost('Upload with hash: time ÷ (hashing alone + curl’s upload)', node / (hash + curl), 1.06)];
		},
	},
	{
		name: 'stored',
		times: 'compared',
		title: 'The same file again',
		how: 'The service says that it has the file.',
		means: 'No byte of a file goes over the network twice, whichever workflow uses it.',
		shown,
		measure: measured({
			contestants: {
				[UPLOAD]: 'node.uploadByNode',
				[CLIENT]: 'client.uploadByClient',
				[SDK]: 'sdk.uploadBySdk',
				[HASH]: 'hashAlone.hashAlone',
			},
			hashes: true,
			isStored: true,
		}),
		goals: (results) => {
			const node = resultOf(results, UPLOAD);
			return [
				atMost('Already stored: time ÷ hashing alone', node.ratios[HASH] ?? NaN, 0.95),
				atMost('Already stored: body bytes sent', node.facts.bodyBytes ?? NaN, 1_024),
			];
		},
	},
	{
		name: 'download',
		times: 'compared',
		title: 'Download of a file',
		how: 'A job’s file is saved in n8n’s store (for curl, the client and the SDK: in a file). The service tells its size and no hash.',
		means: 'Large results are streamed into n8n’s store, and a download resumes where its connection was cut.',
		shown: { requests: shown.requests },
		measure: measured({
			contestants: {
				[DOWNLOAD]: 'node.downloadByNode',
				[CLIENT]: 'client.downloadByClient',
				[SDK]: 'sdk.downloadBySdk',
				[CURL]: 'curl.downloadByCurl',
			},
			hashes: false,
		}),
		goals: (results) => {
			const node = resultOf(results, DOWNLOAD);
			return [atMost('Download: memory', node.peakMib, 40, ' MiB')];
		},
	},
	{
		name: 'download-hash',
		times: 'compared',
		title: 'Download with the file’s hash',
		how: 'The service tells the hash: what came is compared with it. The SDK cannot do that.',
		means: 'A file that was damaged on its way never reaches the workflow.',
		shown: { requests: shown.requests },
		measure: measured({
			contestants: {
				[DOWNLOAD]: 'node.downloadByNode',
				[CLIENT]: 'client.downloadByClient',
				[HASH]: 'hashAlone.hashAlone',
				[CURL]: 'curl.downloadByCurl',
			},
			hashes: true,
		}),
		goals: (results) => {
			const [node, hash, curl] = [DOWNLOAD, HASH, CURL].map((name) => resultOf(results, name).ms) as [number, number, number];
			return [
				atMost('Download with hash: time ÷ hashing alone', node / hash, 1.15),
				// Where storing the file takes long, this is what one thread can do: what is hashed has to come first.
				atMost('Download with hash: time ÷ (hashing alone + curl’s download)', node / (hash + curl), 1.06),
			];
		},
	},
];
