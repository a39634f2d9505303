import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../sandbox';
import type { Credential } from './engine';
import { credentialFor } from './flavours';
import { sharedSandbox } from './sandbox';

/** Three ComfyUIs, one worker each. */
export interface Pool {
	sandboxes: [Sandbox, Sandbox, Sandbox];
	/** The address of each server, as items name it. */
	address(index: number): string;
	/** A credential that contains all of them. */
	credential(changes?: IDataObject): Credential;
	/** A credential for one of them. */
	single(index: number): Credential;
}

/** One pool for all tests of the suite. Before each test, every server runs and has no jobs. */
export function sharedPool(): Pool {
	const start = () => sharedSandbox({ workers: 1 });
	const sandboxes: Pool['sandboxes'] = [start(), start(), start()];
	beforeEach(() => {
		for (const sandbox of sandboxes) {
			sandbox.restartEngine();
			sandbox.ledger.frees.length = 0;
		}
	});
	const sandboxAt = (index: number): Sandbox => sandboxes[index] as Sandbox;
	return {
		sandboxes,
		address: (index) => sandboxAt(index).urls.engine,
		credential: (changes) =>
			credentialFor(sandboxes[0], 'bare_engine', {
				engineIsElsewhere: false,
				hasMoreServers: true,
				moreServers: `${sandboxes[1].urls.engine}\n${sandboxes[2].urls.engine}/`,
				...changes,
			}),
		single: (index) => credentialFor(sandboxAt(index), 'bare_engine'),
	};
}
