import type { INodeProperties } from 'n8n-workflow';

import { ComfyApi } from '../../../../credentials/ComfyApi.credentials';
import { ComfyRouterJwtApi } from '../../../../credentials/ComfyRouterJwtApi.credentials';
import { ComfySelfHostedApi } from '../../../../credentials/ComfySelfHostedApi.credentials';
import { fieldOf } from '../../../../nodes/shared/messages/fieldOf';

const labelOf = (properties: INodeProperties[], name: string): string | undefined =>
	properties.find((one) => one.name === name)?.displayName;
const NAMED_IN_MESSAGES = [
	'API Key',
	'JWT',
	'Token',
	'Engine Authorization',
	'Address',
	'Base URL',
	'Engine Address',
	'Hosted URL',
	'Router URL',
	'Partner API Key',
	'Ignore SSL Issues',
	'Keep Links On This Address',
];

it.each(NAMED_IN_MESSAGES)('E5: messages name %s with the switch that shows it', (label) => {
	const fields = [new ComfyApi(), new ComfyRouterJwtApi(), new ComfySelfHostedApi()].flatMap(({ displayName, properties }) =>
		properties
			.filter((one) => one.displayName.replace(' (Insecure)', '') === label)
			.map((one) => ({ displayName, shownBy: labelOf(properties, Object.keys(one.displayOptions?.show ?? {})[0] ?? '') })),
	);
	expect(fields.length).toBeGreaterThan(0);
	for (const { displayName, shownBy } of fields) {
		expect(fieldOf(label, displayName)).toBe(
			`${label} in the ${displayName} credential${shownBy === undefined ? '' : ` (under ${shownBy})`}`,
		);
	}
});
