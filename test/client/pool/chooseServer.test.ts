import { chooseServer, type JobToPlace, type ServerCandidate } from '../../../client/pool/chooseServer';

const server = (facts: Partial<ServerCandidate> = {}): ServerCandidate => ({
	jobsAhead: 0,
	ownJobs: 0,
	secondsPerJob: 10,
	elapsedSeconds: 0,
	loadedModels: [],
	...facts,
});
const job = (facts: Partial<JobToPlace> = {}): JobToPlace => ({ models: [], isAwaited: false, jobsToCome: 0, ...facts });
const awaited = (facts: Partial<JobToPlace> = {}) => job({ isAwaited: true, jobsToCome: 100, ...facts });
const ahead = (jobsAhead: number, facts: Partial<ServerCandidate> = {}) => server({ jobsAhead, ...facts });
const own = (ownJobs: number, facts: Partial<ServerCandidate> = {}) => server({ jobsAhead: ownJobs, ownJobs, ...facts });
const SDXL = ['sdxl.safetensors'];

const slow = (facts: Partial<ServerCandidate> = {}) => server({ secondsPerJob: 100, ...facts });

type Case = [name: string, candidates: ServerCandidate[], job: JobToPlace, chosen: number | undefined];

test.each<Case>([
	['the server without jobs', [ahead(1), ahead(0), ahead(2)], job(), 1],
	['the shorter queue', [ahead(3), ahead(2)], job(), 1],
	['the longer queue that ends first', [ahead(2, { secondsPerJob: 30 }), ahead(3, { secondsPerJob: 10 })], job(), 1],
	['the server whose current job has run longer', [ahead(1, { elapsedSeconds: 2 }), ahead(1, { elapsedSeconds: 8 })], job(), 1],
	['no server by a time that is longer than a job takes', [ahead(3, { elapsedSeconds: 500 }), ahead(1)], job(), 1],
	['no server by the elapsed time of an idle one', [ahead(0, { elapsedSeconds: 500 }), ahead(0, { secondsPerJob: 5 })], job(), 1],
	['the only server', [ahead(50)], job(), 0],
	[
		'the server whose running job ends first, if the job runs before all that wait',
		[ahead(2, { secondsPerJob: 30 }), ahead(9)],
		job({ atFront: true }),
		1,
	],
	['the server without a running job, if the job runs before all that wait', [ahead(1), ahead(0), ahead(9)], job({ atFront: true }), 1],
	['none of no servers', [], job(), undefined],
	// Servers that are free within one second of each other.
	['the models on an idle server', [server(), server({ loadedModels: SDXL })], job({ models: SDXL }), 1],
	[
		'the models within one second',
		[ahead(0), ahead(1, { elapsedSeconds: 9.1, loadedModels: SDXL, secondsPerJob: 10 })],
		job({ models: SDXL }),
		1,
	],
	['the earlier server beyond one second', [ahead(0), ahead(1, { elapsedSeconds: 8.9, loadedModels: SDXL })], job({ models: SDXL }), 0],
	['the models before the speed', [server({ secondsPerJob: 1 }), server({ loadedModels: SDXL })], job({ models: SDXL }), 1],
	['all models, not one of them', [server({ loadedModels: SDXL, secondsPerJob: 20 }), server()], job({ models: [...SDXL, 'a.pt'] }), 1],
	['the faster one without models', [server({ loadedModels: SDXL }), server({ secondsPerJob: 4 })], job(), 1],
	[
		'the faster one of two with the models',
		[server({ loadedModels: SDXL }), server({ loadedModels: SDXL, secondsPerJob: 4 })],
		job({ models: SDXL }),
		1,
	],
	['the first of equal ones', [server(), server(), server()], job(), 0],
	// A run that waits for its jobs has at most two on each server.
	['no server with two jobs of an awaited run', [own(2, { secondsPerJob: 1 }), own(1)], awaited(), 1],
	['none if each has two jobs of an awaited run', [own(2), own(2)], awaited(), undefined],
	['a server with one, which becomes idle otherwise', [own(2), own(1)], awaited(), 1],
	['a server with many jobs of other runs', [ahead(20), own(2, { secondsPerJob: 100 })], awaited(), 0],
	['a server with two, if the run does not wait for the job', [own(9), own(2)], job({ jobsToCome: 100 }), 1],
	// A server whose speed is unknown counts as fast as the fastest.
	[
		'unknown speed is tried before a measured one with jobs',
		[own(1, { secondsPerJob: 1 }), server({ secondsPerJob: undefined })],
		awaited(),
		1,
	],
	[
		'unknown speed is as fast as the fastest',
		[ahead(2, { secondsPerJob: undefined }), ahead(1, { secondsPerJob: 30 }), ahead(9, { secondsPerJob: 2 })],
		job(),
		0,
	],
	[
		'unknown speed is tried for the last job',
		[own(1, { secondsPerJob: 1 }), server({ secondsPerJob: undefined })],
		awaited({ jobsToCome: 0 }),
		1,
	],
	[
		'unknown speeds are equal if no server is measured',
		[ahead(2, { secondsPerJob: undefined }), ahead(1, { secondsPerJob: undefined })],
		job(),
		1,
	],
	// A slow server is used only if the fast ones would take longer.
	['a slow one is skipped for the last job, which the fast one finishes first', [own(2), slow()], awaited({ jobsToCome: 0 }), undefined],
	['a slow one is skipped if the fast one finishes all 6 before', [own(2), slow()], awaited({ jobsToCome: 6 }), undefined],
	['a slow one is used if the fast one finishes only 7 of 8 before', [own(2), slow()], awaited({ jobsToCome: 7 }), 1],
	['a slow one is skipped if two fast ones finish all before', [own(2), own(2), slow()], awaited({ jobsToCome: 13 }), undefined],
	['a slow one is used if two fast ones do not', [own(2), own(2), slow()], awaited({ jobsToCome: 14 }), 2],
	['a slow one is used if the run does not wait for the job', [ahead(11), slow()], job(), 1],
	['a slow one is used if it finishes at the same time', [own(1, { secondsPerJob: 50 }), slow()], awaited({ jobsToCome: 0 }), 1],
	[
		'a slow one is skipped beside one that takes no time',
		[own(2, { secondsPerJob: 0 }), slow()],
		awaited({ jobsToCome: 1_000 }),
		undefined,
	],
])('chooses a server: %s', (_name, candidates, wanted, chosen) => {
	expect(chooseServer(candidates, wanted)).toBe(chosen);
});

test.each([1, 2, 3, 5])('a job never waits while %d equal servers are idle', (count) => {
	for (const secondsPerJob of [undefined, 0, 0.001, 1 / 3, 7, 1e6])
		for (const jobsToCome of [0, 1, 100]) {
			const candidates = Array.from({ length: count }, () => server({ secondsPerJob }));
			expect(chooseServer(candidates, awaited({ jobsToCome }))).toBe(0);
		}
});
