/**
 * Redirects. Those of a read are followed, five at most. Only files are read from another origin, without the key. Any
 * other request is sent nowhere else, because its outcome is unknown.
 */
import type { Attempts, Call, Exchange, Expectation, Fault, Seen } from '../shapes';
import { unreadable as unreadableOutcome } from '../outcomes';
import { headOf } from '../proxy/strangers';

const isRead = ({ on }: Call): boolean => /^(GET|HEAD) /.test(on);

/** Redirects the caller. The connection is not part of this test. */
async function redirect({ socket, received }: Exchange, status: number, location?: string): Promise<void> {
	await received();
	socket.write(headOf(status, { ...(location !== undefined && { location }), 'content-length': '0' }));
}

type Place = (exchange: Exchange) => string | undefined;
const itself: Place = ({ path }) => path;

const NOT_FOLLOWED = 'only reads are sent on: nobody knows what became of the rest';
/** The answer to a redirect that is not followed says where it leads to. */
const refusalOf = (name: string, status: number): Expectation => ({
	outcome: unreadableOutcome(/^to another|inside/.test(name) ? 'other_origin' : 'unexpected', status),
	because: NOT_FOLLOWED,
});

interface Redirect {
	name: string;
	status?: number;
	to: Place;
	/** For reads; where it is silent, the answer is none. */
	reads(attempts: Attempts, call: Call): Expectation;
	on?: Fault['on'];
}

/** v2 reads what stands in an answer that is none. */
const ofNothing = (status: number) => (_: Attempts, call: Call) => ({
	outcome: unreadableOutcome(call.name.startsWith('v2 ') ? 'not_json' : 'unexpected', status),
	because: 'a redirect that leads nowhere is no answer of this service',
});

/** API requests stay on their origin. */
const elsewhere =
	(status: number, ofFile: Expectation) =>
	(_: Attempts, { wire }: Call): Expectation =>
		wire === 'file' || wire === 'web'
			? ofFile
			: { outcome: unreadableOutcome('other_origin', status), because: 'only files are read from another origin' };

const unreadable = (status: number, because: string): Expectation => ({ outcome: unreadableOutcome('unexpected', status), because });

const fault = ({ name, status = 302, to, reads, on = ['json', 'bare', 'upload', 'file', 'web'] }: Redirect): Fault => ({
	name: `redirect ${name}`,
	family: 'redirects',
	on,
	delivery: 'nothing',
	seen: { status } satisfies Seen,
	strike: async (exchange) => await redirect(exchange, status, to(exchange)),
	expects: (call, attempts) => (isRead(call) ? reads(attempts, call) : refusalOf(name, status)),
});

/** Followed, and come to the right place at the second look. */
const followed = (status: number) => (attempts: Attempts) =>
	attempts === 'first'
		? { outcome: 'done', because: 'a read follows a redirect of its own origin' }
		: unreadable(status, 'five redirects are enough');

const INSIDE = [
	'http://169.254.169.254/latest/meta-data/',
	'http://127.0.0.1:9/',
	'http://[::1]:9/',
	'http://0.0.0.0:9/',
	'http://2130706433:9/',
	'http://0x7f.1:9/',
];

export const redirects: readonly Fault[] = [
	...[301, 302, 303, 307, 308].map((status) => fault({ name: `${status} to itself`, status, to: itself, reads: followed(status) })),
	...[300, 304].map((status) => fault({ name: `${status}, which is none`, status, to: itself, reads: ofNothing(status) })),
	fault({ name: 'without an address', to: () => undefined, reads: ofNothing(302) }),
	fault({ name: 'to no address', to: () => 'http://[::1', reads: () => unreadable(302, 'it leads to no address') }),
	fault({
		name: 'to another origin',
		to: ({ stranger, path }) => stranger + path,
		reads: elsewhere(302, unreadable(401, 'it has no key for that place, and says where it is')),
	}),
	fault({
		name: 'to another origin for good',
		status: 308,
		to: ({ stranger, path }) => stranger + path,
		reads: elsewhere(308, unreadable(401, 'it has no key for that place, and says where it is')),
	}),
	fault({
		name: 'to another scheme',
		to: ({ stranger, path }) => stranger.replace('http:', 'https:') + path,
		on: ['json', 'bare', 'upload'],
		reads: elsewhere(302, { outcome: 'connection no_tls', because: 'that place speaks no TLS, and says so' }),
	}),
	...['ftp:', 'file:'].map((scheme) =>
		fault({
			name: `to ${scheme}`,
			to: () => `${scheme}//localhost/etc/passwd`,
			reads: () => ({ outcome: 'connection not_web', because: 'it goes to http and https alone' }),
		}),
	),
	...INSIDE.map((address) =>
		fault({
			name: `to ${new URL(address).hostname} inside (${address})`,
			to: () => address,
			on: ['web', 'file'],
			reads: () => ({ outcome: 'connection blocked', because: 'each hop is asked for' }),
		}),
	),
];
