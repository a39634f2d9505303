/** When a wait reads its job, and what it learns from the reads. */
import { alive, SUBMITTED, testTimelines, until } from './support/timeline';

testTimelines([
	[
		'polling slows down to a read every 5 s',
		{ mode: 'polling', read: (now) => [now < 15_000 ? (now < 4_000 ? 'queued' : 'running') : 'succeeded'], forMs: 25_000 },
		'job_status queued read: 0a | job_status running read: 4063a | job_status succeeded read: 15391a | learns queued: 0a | learns running: 4063a | read: 0a 500a 1250a 2375a 4063a 6594a 10391a 15391a | returns succeeded true 4062.5 11328.125: 15391a | wait_started polling 900000: 0a',
	],
	[
		'a job that answers 500 for 5 minutes is given up',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : 500), from: 290_000, forMs: 320_000 },
		'read: 290391a 295391a 300391a 305391a | throws UnreadableJobError: 305391a',
	],
	[
		'a job that answers 500 from time to time is not given up',
		{ mode: 'polling', read: (now) => (now > 200_000 && now < 205_000 ? ['running'] : 500), from: 195_000, forMs: 310_000 },
		'job_status running read: 200391a | learns running: 200391a | read: 195391a 200391a 205391a 210391a 215391a 220391a 225391a 230391a 235391a 240391a 245391a 250391a 255391a 260391a 265391a 270391a 275391a 280391a 285391a 290391a 295391a 300391a 305391a',
	],
	[
		'a foreign 404 of a known job is no end, and 502 does not count',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : now < 3_000 ? 404 : now < 5_000 ? 502 : ['succeeded']) },
		'job_status running read: 0a | job_status succeeded read: 6594a | learns running: 0a | read: 0a 500a 1250a 2375a 4063a 6594a | returns succeeded true: 6594a | wait_started polling 900000: 0a',
	],
	[
		'a foreign 404 of an unknown job is thrown',
		{ mode: 'polling', read: () => 404 },
		'read: 0a | throws UnreadableAnswerError: 0a | wait_started polling 900000: 0a',
	],
	[
		'a read is put off by Retry-After',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : now < 1_000 ? 429 : ['succeeded']), retryAfter: '3' },
		'job_status running read: 0a | job_status succeeded read: 3500a | learns running: 0a | read: 0a 500a 3500a | returns succeeded true: 3500a | wait_started polling 900000: 0a',
	],
	[
		'a job that was just submitted is not read first',
		{ mode: 'polling', read: until(400), submitted: SUBMITTED },
		'job_status succeeded read: 500a | read: 500a | returns succeeded true: 500a | wait_started polling 900000: 0a',
	],
	[
		'a job that has ended when it was submitted is read',
		{ mode: 'polling', read: until(0), submitted: { ...SUBMITTED, status: 'failed' } },
		'job_status succeeded read: 0a | read: 0a | returns succeeded true: 0a | wait_started polling 900000: 0a',
	],
	[
		'durations are those that the service names, else those between its times, and none below zero',
		{
			ids: 'abc',
			read: (_now, id) => [
				'succeeded',
				{
					...(id !== 'c' && { metrics: id === 'a' ? { queue_ms: 0, execution_ms: 7 } : { queue_ms: -1, execution_ms: '7' } }),
					created_at: '2026-01-01T00:00:00Z',
					started_at: '2026-01-01T00:00:03Z',
					completed_at: `2026-01-01T00:00:0${id === 'c' ? 2 : 5}Z`,
				},
			],
		},
		'job_status succeeded read: 0abc | read: 0abc | returns succeeded true 0 7: 0a | returns succeeded true 3000 2000: 0b | returns succeeded true 3000: 0c | wait_started live 900000: 0abc',
	],
	[
		'a job has no durations if it runs when it is first seen, even if it is queued later, never runs, or begins with an unknown status',
		{
			ids: 'abc',
			mode: 'polling',
			read: (now, id) => {
				const early = { a: 'running', b: 'queued', c: 'starting' }[id] ?? '';
				const later = { a: 'queued', b: 'succeeded', c: 'running' }[id] ?? '';
				return [now < 700 ? early : now < 1_700 ? later : now < 3_000 && id === 'a' ? 'running' : 'succeeded'];
			},
		},
		'job_status queued read: 0b 1250a | job_status running read: 0a 1400c 2375a | job_status starting read: 0c | job_status succeeded read: 1325b 2525c 4063a | learns queued: 0b 1250a | learns running: 0a 1400c 2375a | learns starting: 0c | read: 0abc 500a 575b 650c 1250a 1325b 1400c 2375a 2525c 4063a | returns succeeded true: 1325b 2525c 4063a | wait_started polling 900000: 0abc',
	],
	[
		'a wait of no time reads the job once',
		{ maxWaitMs: 0, read: () => ['running'], stream: () => [alive] },
		'events: 0a | job_status running read: 0a | learns running: 0a | read: 0a | returns running false: 0a | wait_started live 0: 0a | wait_timed_out running: 0a',
	],
	[
		'a rejected read of a known job is thrown',
		{ mode: 'polling', read: (now) => (now < 100 ? ['running'] : 403) },
		'job_status running read: 0a | learns running: 0a | read: 0a 500a | throws ApiError: 500a | wait_started polling 900000: 0a',
	],
]);
