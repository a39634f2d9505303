import { decodeOutput } from '../../../client/v2/decode';

const referenceOf = (id: unknown, hash: string | null = null) =>
	decodeOutput({ id, hash, name: 'cat_00001_.png' }, (link) => link).reference;
const signed = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url');

it('an output of the service is an asset', () => {
	const id = '2f1c7a36-4a0e-4a55-9a3d-9d6f0a1b2c3d';
	expect(referenceOf(id, 'blake3:00')).toEqual({ __type: 'core/ASSET', info: { id, hash: 'blake3:00' } });
	expect(referenceOf(id)).toEqual({ __type: 'core/ASSET', info: { id } });
	expect(referenceOf('')).toBeNull();
});

/** Ids as the real proxy 0.1.6 makes them, and as others of its versions do. */
it.each<[string, string]>([
	[`${signed({ j: '1', f: 'cat_00001_.png', s: '', t: 'output' })}.c2lnbmF0dXJl`, 'cat_00001_.png [output]'],
	[`asset_${signed({ j: '1', f: 'große Katze.png', s: 'pets/cats', t: 'output' })}.c2ln`, 'pets/cats/große Katze.png [output]'],
	[`asset_${signed({ f: 'cat.png', s: '', t: 'temp' })}`, 'cat.png [temp]'],
])('an output of the self-hosted proxy is a file of its engine: %s', (id, reference) => {
	expect(referenceOf(id)).toBe(reference);
});

it.each([`${signed({ j: '1', o: '2' })}.c2ln`, `${signed(['a', 'list'])}.c2ln`, 'asset_bm90IGpzb24.c2ln', 'ey_not_json_at_all', 'ab'])(
	'an id that tells nothing is that of an asset: %s',
	(id) => {
		expect(referenceOf(id)).toMatchObject({ __type: 'core/ASSET', info: { id } });
	},
);
