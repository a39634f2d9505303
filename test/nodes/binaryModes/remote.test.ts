import './remoteMode';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

import '../support/engine';
import { binaryModeSuite } from './suite';

type Manager = Parameters<BinaryDataService['setManager']>[1];

/** n8n's own manager for disks, under the name of a remote store and, as those, without paths. */
beforeAll(async () => {
	const service = Container.get(BinaryDataService);
	await service.init();
	const { filesystem } = (service as unknown as { managers: Record<string, Manager> }).managers;
	const withoutPaths = {
		getPath: () => {
			throw new Error('a remote store has no paths');
		},
	};
	service.setManager('s3', Object.assign(Object.create(filesystem as object) as Manager, withoutPaths));
});

binaryModeSuite('in a remote store');
