/** What waits, in the order in which an engine shows it: that of a binary heap, lowest number first. Only the first place tells what runs next. */
import type { Prompt } from './prompt';

export class PromptQueue {
	#heap: Prompt[] = [];

	/** As `GET /queue` lists them. */
	get shown(): readonly Prompt[] {
		return this.#heap;
	}

	add(prompt: Prompt): void {
		this.#heap.push(prompt);
		this.#rise(this.#heap.length - 1);
	}

	/** Nothing happens where it does not wait. */
	remove(prompt: Prompt): void {
		const place = this.#heap.indexOf(prompt);
		if (place === 0) this.#takeFirst();
		else if (place > 0) {
			this.#heap.splice(place, 1);
			for (let parent = (this.#heap.length >> 1) - 1; parent >= 0; parent--) this.#sink(parent);
		}
	}

	#takeFirst(): void {
		const last = this.#heap.pop();
		if (last === undefined || this.#heap.length === 0) return;
		this.#heap[0] = last;
		this.#sink(0);
	}

	#rise(place: number): void {
		for (let child = place; child > 0;) {
			const parent = (child - 1) >> 1;
			if (!this.#before(child, parent)) return;
			this.#swap(child, parent);
			child = parent;
		}
	}

	#sink(place: number): void {
		for (let parent = place; ;) {
			const left = 2 * parent + 1;
			const least = this.#before(left + 1, left) ? left + 1 : left;
			if (!this.#before(least, parent)) return;
			this.#swap(least, parent);
			parent = least;
		}
	}

	/** False where there is nothing in one of the places. */
	#before(one: number, other: number): boolean {
		const [first, second] = [this.#heap[one], this.#heap[other]];
		return first !== undefined && second !== undefined && first.submission.number < second.submission.number;
	}

	#swap(one: number, other: number): void {
		const [first, second] = [this.#heap[one], this.#heap[other]];
		if (first === undefined || second === undefined) return;
		this.#heap[one] = second;
		this.#heap[other] = first;
	}
}
