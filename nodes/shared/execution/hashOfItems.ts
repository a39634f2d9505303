import { createHash } from 'node:crypto';

/** Items that no JSON can hold, because one is within itself for instance, count as the same. */
function textOf(item: unknown): string {
	try {
		return JSON.stringify(item) ?? '';
	} catch {
		return '';
	}
}

/** Taken as n8n stores items: what its database has made of them hashes as they did before. */
export function hashOfItems(outputs: unknown[]): string {
	const hash = createHash('sha256');
	for (const output of outputs) {
		for (const item of Array.isArray(output) ? output : []) hash.update(`${textOf(item)},`);
		hash.update(';');
	}
	return hash.digest('hex');
}
