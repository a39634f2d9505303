import { generateKeyPairSync, sign } from 'node:crypto';

const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

/** A new self-signed certificate for 127.0.0.1, with its key. */
export function selfSignedCertificate(): { key: string; cert: string } {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from('127.0.0.1')))));
	const year = (offset: number) => String((new Date().getUTCFullYear() + offset) % 100).padStart(2, '0');
	const validity = sequence(...[-1, 1].map((offset) => tagged(0x17, Buffer.from(`${year(offset)}0101000000Z`))));
	const altNames = sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])));
	const body = sequence(
		tagged(0xa0, tagged(0x02, Buffer.of(2))),
		tagged(0x02, Buffer.of(1)),
		sequence(ECDSA_WITH_SHA256),
		name,
		validity,
		name,
		publicKey.export({ type: 'spki', format: 'der' }),
		tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, altNames)))),
	);
	const signature = tagged(0x03, Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)]));
	const certificate = sequence(body, sequence(ECDSA_WITH_SHA256), signature);
	const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
	return {
		key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
		cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
	};
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts));

function tagged(tag: number, content: Buffer): Buffer {
	const { length } = content;
	const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.of(tag, ...head), content]);
}
