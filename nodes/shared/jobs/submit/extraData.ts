import { isRecord, parseExact } from '../../../../client';
import type { ItemContext } from '../../operation';
import { ItemFault } from '../../itemFault';
import type { SubmitSettings } from './settings';
import { fieldOf } from '../../messages/words';

/** The text itself stays out of the message: extra data may carry keys. */
function parse(extraData: unknown): Record<string, unknown> {
	let value: unknown = extraData ?? {};
	try {
		if (typeof value === 'string') value = value.trim() === '' ? {} : parseExact(value);
	} catch {
		value = undefined;
	}
	if (isRecord(value)) return value;
	throw new ItemFault('Extra Data is not a JSON object', 'Enter an object such as {}, or remove the option. Nothing was sent.');
}

/** What goes beside the workflow: the user's extra data and, where asked for, the partner key. */
export function extraDataToSend({ settings, credential }: ItemContext<SubmitSettings>): Record<string, unknown> {
	const extraData = parse(settings.extraData);
	if (!settings.sendPartnerKey) return extraData;
	if (credential.partnerKey === '') {
		throw new ItemFault(
			'There is no key to send to partner nodes',
			`Enter ${fieldOf('Partner API Key', credential.displayName)}, or turn off Send Key To Partner Nodes. Nothing was sent.`,
		);
	}
	return { ...extraData, [credential.partnerKeyField]: credential.partnerKey };
}
