import { isRecord } from '../../decode';
import type { ByteReader } from './byteReader';
import { parsePythonJson } from './pythonJson';
import { decodedText, type Texts } from './texts';

/** Containers whose own head is JSON. */

function addAll(value: unknown, texts: Texts): void {
	if (!isRecord(value)) return;
	for (const [name, text] of Object.entries(value)) if (typeof text === 'string') texts.add(name, text);
}

const parsed = (bytes: Buffer): unknown => {
	try {
		return parsePythonJson(decodedText(bytes)).value;
	} catch {
		return undefined;
	}
};

/** A latent, or any other safetensors file: the length of its head, then the head. */
export async function readSafetensors(reader: ByteReader, texts: Texts): Promise<void> {
	const length = Number((await reader.take(8)).readBigUInt64LE());
	const head = parsed(await reader.take(length));
	addAll(isRecord(head) ? head.__metadata__ : undefined, texts);
}

/** A scene in glTF's binary form. */
export async function readGlb(reader: ByteReader, texts: Texts): Promise<void> {
	const head = await reader.take(20);
	const scene = parsed(await reader.take(head.readUInt32LE(12)));
	const asset = isRecord(scene) ? scene.asset : undefined;
	addAll(isRecord(asset) ? asset.extras : undefined, texts);
}
