import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

import { connectionError } from './trouble';

/**
 * Addresses at which only the own network segment, or the cloud that runs this machine, answers. Clouds give out their
 * secrets there to whoever asks from the machine itself.
 */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet('169.254.0.0', 16, 'ipv4');
LINK_LOCAL.addSubnet('fe80::', 10, 'ipv6');
/** The same IPv4 addresses, as a network without IPv4 translates them (NAT64). */
LINK_LOCAL.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
/** Metadata services elsewhere: AWS, Google, Alibaba, Azure, Oracle. */
LINK_LOCAL.addAddress('fd00:ec2::254', 'ipv6');
LINK_LOCAL.addAddress('fd20:ce::254', 'ipv6');
LINK_LOCAL.addAddress('100.100.100.200', 'ipv4');
LINK_LOCAL.addAddress('168.63.129.16', 'ipv4');
LINK_LOCAL.addAddress('192.0.0.192', 'ipv4');

/** @param host of a URL, which writes every spelling of an IPv4 address in the same way, and IPv6 in brackets. */
export function isLinkLocal(host: string): boolean {
	const address = host.replace(/^\[(.*)\]$/, '$1').split('%', 1)[0] ?? '';
	const version = isIP(address);
	return version !== 0 && LINK_LOCAL.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * A lookup that leaves out link-local addresses, by the address that the connection will use: a name may resolve to
 * another one each time.
 * @param enteredHost the host that the user entered, which may be link-local.
 */
export const withoutLinkLocal =
	(resolve: LookupFunction = lookup as LookupFunction, enteredHost: string | undefined): LookupFunction =>
	(hostname, options, callback) =>
		resolve(hostname, options, (error, found, family) => {
			if (error !== null || hostname === enteredHost) return callback(error, found, family);
			const refusal = () => connectionError('link_local', { origin: hostname });
			if (!Array.isArray(found)) return isLinkLocal(found) ? callback(refusal(), '', 4) : callback(null, found, family);
			const allowed = found.filter(({ address }) => !isLinkLocal(address));
			return allowed.length === 0 && found.length > 0 ? callback(refusal(), []) : callback(null, allowed);
		});
