import { isRecord, listOf, numberOr, recordsOf, requireRecord, textOr } from '../json/decode';
import { isNotFound, ShapeError, UnreadableAnswerError } from '../errors/errors';
import type { Engine } from '../generated/engine';
import { pathSegment } from '../text/identifiers';
import type { CallOptions } from '../ports/jobService';
import type { ComputeDevice, ModelFile, ServerInfo, ServerMaintenance } from '../ports/server';
import { outcomeOf } from '../async/outcome';
import { decodeSystem, type EngineApi, versionOf } from './api';

/** Folders of the list that hold no models. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['configs', 'custom_nodes']);

/** The routes of an engine that concern the server and not one job. */
export class EngineMaintenance implements ServerMaintenance {
	constructor(private readonly api: EngineApi) {}

	async info(options: CallOptions = {}): Promise<ServerInfo> {
		return await this.api.read(this.api.url('/system_stats'), decodeInfo, options);
	}

	async freeMemory({ caches }: { caches: boolean }, options: CallOptions = {}): Promise<void> {
		await this.api.post('/free', { unload_models: true, free_memory: caches }, options);
	}

	async modelFolders(options: CallOptions = {}): Promise<string[]> {
		const names = await this.api.read(this.api.url('/models'), decodeNames, options);
		return names.filter((name) => !OTHER_FOLDERS.has(name));
	}

	/** The newer route reports sizes and times. Older engines answer it with 404, as they do for an unknown folder. */
	async models(folder: string, options: CallOptions = {}): Promise<ModelFile[] | undefined> {
		const segment = pathSegment(folder, 'engine');
		const detailed = await this.readIfFound(`/experiment/models/${segment}`, decodeModels, options);
		if (detailed !== undefined) return detailed;
		const names = await this.readIfFound(`/models/${segment}`, decodeNames, options);
		return names?.map((name) => ({ name, size_bytes: null, modified_at: null }));
	}

	async clearHistory(jobIds: readonly string[] | 'all', options: CallOptions = {}): Promise<void> {
		await this.api.post('/history', jobIds === 'all' ? { clear: true } : { delete: jobIds }, options);
	}

	async users(options: CallOptions = {}): Promise<Record<string, string> | undefined> {
		return await this.readIfFound('/users', decodeUsers, options);
	}

	private async readIfFound<T>(path: string, decode: (value: unknown) => T, options: CallOptions): Promise<T | undefined> {
		const outcome = await outcomeOf(this.api.read(this.api.url(path), decode, options));
		if (outcome.ok) return outcome.value;
		if (isMissing(outcome.error)) return undefined;
		throw outcome.error;
	}
}

/** A 404 of a route that an engine lacks has no body, or a page of its own. */
const isMissing = (error: unknown): boolean => isNotFound(error) || (error instanceof UnreadableAnswerError && error.facts.status === 404);

function decodeInfo(value: unknown): ServerInfo {
	const system = decodeSystem(value);
	const { devices } = requireRecord<Engine['SystemStats']>(value, 'response');
	return {
		comfyui_version: versionOf(system),
		python_version: textOr(system.python_version, null),
		pytorch_version: textOr(system.pytorch_version, null),
		os: textOr(system.os, null),
		ram_total: numberOr(system.ram_total, null),
		ram_free: numberOr(system.ram_free, null),
		devices: recordsOf(devices).map(decodeDevice),
		start_arguments: Array.isArray(system.argv) ? textsIn(system.argv) : null,
	};
}

const decodeDevice = ({ name, type, index, vram_total, vram_free }: Record<string, unknown>): ComputeDevice => ({
	name: textOr(name, null),
	type: textOr(type, null),
	index: numberOr(index, null),
	vram_total: numberOr(vram_total, null),
	vram_free: numberOr(vram_free, null),
});

const textsIn = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string');

function decodeNames(value: unknown): string[] {
	if (!Array.isArray(value)) throw new ShapeError('response is not a list of names');
	return textsIn(value);
}

/** The engine reports times in seconds since 1970. A file may be listed twice if two folders hold one of its name. */
function decodeModels(value: unknown): ModelFile[] {
	if (!Array.isArray(value)) throw new ShapeError('response is not a list of models');
	const files = new Map<string, ModelFile>();
	for (const { name, size, modified } of recordsOf(value)) {
		const path = textOr(name, undefined);
		if (path === undefined) continue;
		const seconds = numberOr(modified, undefined);
		const modifiedAt = seconds === undefined ? null : new Date(seconds * 1000).toISOString();
		files.set(path, { name: path, size_bytes: numberOr(size, null), modified_at: modifiedAt });
	}
	return [...files.values()];
}

function decodeUsers(value: unknown): Record<string, string> | undefined {
	const { users } = requireRecord(value, 'response');
	if (!isRecord(users)) return undefined;
	return Object.fromEntries(Object.entries(users).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
