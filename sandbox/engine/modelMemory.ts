/** The models that an engine keeps in the memory of its device after a prompt. */
import type { Behaviour } from '../behaviour';

export const DEVICE_BYTES = 24 * 1024 ** 3;
export const MODEL_BYTES = 2 * 1024 ** 3;
/** A GPU gives back the memory of one tensor after the other. */
const TENSORS = 64;

export class ModelMemory {
	#isLoaded = false;
	/** Epoch milliseconds; undefined while nothing is unloaded. */
	#unloadingSince: number | undefined;

	constructor(private readonly behaviour: Behaviour) {}

	load(): void {
		this.#isLoaded = true;
		this.#unloadingSince = undefined;
	}

	/** Begins to unload the models. */
	unload(): void {
		if (this.behaviour.engineFree !== 'ignored') this.#unloadingSince ??= Date.now();
	}

	/** The free memory of the device in bytes. */
	get free(): number {
		return DEVICE_BYTES - (this.#isLoaded ? MODEL_BYTES * (1 - this.#unloadedPart) : 0);
	}

	get #unloadedPart(): number {
		if (this.#unloadingSince === undefined) return 0;
		const { engineDevice, engineFreeMs } = this.behaviour;
		if (engineDevice === 'cpu') return 1;
		const tensors = Math.floor(((Date.now() - this.#unloadingSince) * TENSORS) / engineFreeMs);
		return Math.min(1, tensors / TENSORS);
	}
}
