/** Opaque cursors of the model list. They hold characters that must be encoded in an address. */
import { createHmac } from 'node:crypto';
import { invalidInput } from '../refusal';

const LIFETIME_MS = 60 * 60 * 1000;

export interface CatalogPlace {
	/** How many models have been listed. */
	offset: number;
	/** Which page of the walk comes next, from 0. */
	page: number;
}

export class Cursors {
	constructor(private readonly secret: string) {}

	/** @param now epoch milliseconds. */
	write({ offset, page }: CatalogPlace, now: number): string {
		const content = `${offset}.${page}.${now}`;
		return `+/${Buffer.from(`${content}.${this.#signature(content)}`).toString('base64')}=`;
	}

	/** @throws RouterRefusal `invalid_input` when it is not one of ours, or too old. */
	read(cursor: string, now: number): CatalogPlace {
		const [offset, page, at, signature] = Buffer.from(cursor.slice(2, -1), 'base64').toString('utf8').split('.');
		const genuine = cursor.startsWith('+/') && signature === this.#signature(`${offset}.${page}.${at}`);
		if (!genuine) throw invalidInput('The cursor is not valid');
		if (now - Number(at) > LIFETIME_MS) throw invalidInput('The cursor has expired');
		return { offset: Number(offset), page: Number(page) };
	}

	#signature(content: string): string {
		return createHmac('sha256', this.secret).update(content).digest('hex').slice(0, 24);
	}
}
