import { isSendableKey } from '../../client/idempotencyKey';

it.each(['k', '{"order": 7}', 'two words', 'x'.repeat(255)])('%j can be sent as a key', (key) => {
	expect(isSendableKey(key)).toBe(true);
});

it.each(['', ' k', 'k ', 'k\n', 'Schlüssel', 'x'.repeat(256)])('%j cannot: a header would lose or refuse a part of it', (key) => {
	expect(isSendableKey(key)).toBe(false);
});
