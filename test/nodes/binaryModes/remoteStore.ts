import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

type Manager = Parameters<BinaryDataService['setManager']>[1];

/** n8n's own manager for disks, under the name of a remote store and, as those, without paths. */
export async function keepInRemoteStore(name: 's3' | 'database'): Promise<void> {
	const service = Container.get(BinaryDataService);
	await service.init();
	// `setManager` came after n8n 1.121.
	const { managers } = service as unknown as { managers: Record<string, Manager> };
	const withoutPaths = {
		getPath: () => {
			throw new Error('a remote store has no paths');
		},
	};
	managers[name] = Object.assign(Object.create(managers.filesystem as object) as Manager, withoutPaths);
}
