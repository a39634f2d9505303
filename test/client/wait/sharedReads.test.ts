/** How the waits of one connection share reads and the list of jobs. */
import { entries, testTimelines, time, until } from './support/timeline';

testTimelines([
	[
		'a list serves all waits',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: until(5_000),
			list: (now) => ({ jobs: entries('abcdef', now < 5_000 ? 'running' : 'succeeded') }),
		},
		'job_status running read: 0abcdef | job_status succeeded read: 5266abcdef | learns running: 0abcdef | list limit=100: 500+ 1000+ 1500+ 2000+ 2506+ 3266+ 4266+ 5266+ | read: 0abcdef 5266abcdef | returns succeeded true: 5266abcdef | wait_started polling 900000: 0abcdef',
	],
	[
		'a list of whole jobs is taken over as a whole',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['queued', { queue_position: 4, progress: { value: 0.1 } }],
			list: (now) => ({
				jobs: [
					...entries('ab', 'running', { created_at: '2026-01-01T00:00:00Z', urls: { self: '/api/v2/jobs/a' }, progress: { value: 0.3 } }),
					...entries('cd', 'queued', { queue_position: now < 800 ? 3 : 2 }),
				],
			}),
			forMs: 1_500,
		},
		'job_status queued 2 list: 1000cd | job_status queued 3 list: 500cd | job_status queued 4 read: 0abcd | job_status running list: 500ab | learns queued 2 0.1: 1000cd | learns queued 3 0.1: 500cd | learns queued 4 0.1: 0abcd | learns running 0.3: 500ab | list limit=100: 500+ 1000+ 1500+ | read: 0abcd | wait_started polling 900000: 0abcd',
	],
	[
		'three waits read by themselves',
		{ ids: 'abc', mode: 'polling', read: until(2_000), list: () => ({ jobs: entries('abc', 'running') }) },
		'job_status running read: 0abc | job_status succeeded read: 2375a 2450b 2525c | learns running: 0abc | read: 0abc 500a 575b 650c 1250a 1325b 1400c 2375a 2450b 2525c | returns succeeded true: 2375a 2450b 2525c | wait_started polling 900000: 0abc',
	],
	[
		'a list that fails is not asked again for a minute',
		{ ids: 'abcd', mode: 'polling', read: () => ['running'], list: () => 403, from: 55_000, forMs: 62_000 },
		'list limit=100: 60500+ | read: 55391a 55466b 55541c 55616d 60391a 60466b 60541c 60616d',
	],
	[
		'a list that does not answer delays no wait by more than 5 s',
		{ ids: 'abcd', mode: 'polling', read: () => ['running'], list: () => undefined, forMs: 16_000 },
		'job_status running read: 0abcd | learns running: 0abcd | list limit=100: 500+ | read: 0abcd 5500a 5575b 5650c 5725d 6250a 6325b 6400c 6475d 7375a 7450b 7525c 7600d 9063a 9138b 9213c 9288d 11594a 11669b 11744c 11819d 15391a 15466b 15541c 15616d | wait_started polling 900000: 0abcd',
	],
	[
		'a job that a list leaves out is read',
		{ ids: 'abcdef', mode: 'polling', read: () => ['running'], list: () => ({ jobs: entries('abcde', 'running') }), forMs: 4_000 },
		'job_status running read: 0abcdef | learns running: 0abcdef | list limit=100: 500+ 1000+ 1500+ 2000+ 2500+ 3024+ 3652+ | read: 0abcdef 500f 1250f 2375f | wait_started polling 900000: 0abcdef',
	],
	[
		'a job that a list does not name any more is read soon',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (now) => ({ jobs: entries(now < 3_000 ? 'abcd' : 'bcd', 'running') }),
			forMs: 6_000,
		},
		'job_status running read: 0abcd | learns running: 0abcd | list limit=100: 500+ 1000+ 1500+ 2000+ 2633+ 3582+ 4547+ 5672+ | read: 0abcd 3797a 4547a 5672a | wait_started polling 900000: 0abcd',
	],
	[
		'an end that only the list tells is read once at once, and then in turn',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (now) => ({ jobs: [...entries('a', now < 3_000 ? 'succeeded' : 'running'), ...entries('bcd', 'running')] }),
			forMs: 5_000,
		},
		'job_status running read: 0abcd | learns running: 0abcd | list limit=100: 500+ 1000+ 1500+ 2000+ 2563+ 3286+ 4291+ | read: 0abcd 500a 1250a 2375a | wait_started polling 900000: 0abcd',
	],
	[
		'a list that tells too little for its pages is not asked again for a minute',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) => ({ jobs: entries('a', 'running'), next_cursor: query.includes('cursor') ? 'z' : 'y' }),
			from: 55_000,
			forMs: 62_000,
		},
		'list limit=100&cursor=y: 60500+ | list limit=100&cursor=z: 60500+ | list limit=100: 60500+ | read: 55466b 55541c 55616d 56141a 60466b 60541c 60616d',
	],
	[
		'pages of a list are read until each job is found, and make the next look later',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) =>
				query.includes('cursor')
					? { jobs: entries('defw', 'running'), next_cursor: 'z' }
					: { jobs: entries('abcxy', 'running'), next_cursor: 'y' },
			forMs: 5_000,
		},
		'job_status running read: 0abcdef | learns running: 0abcdef | list limit=100&cursor=y: 500+ 1050+ 1600+ 2163+ 3006+ 4272+ | list limit=100: 500+ 1050+ 1600+ 2163+ 3006+ 4272+ | read: 0abcdef | wait_started polling 900000: 0abcdef',
	],
	[
		'a truncated list is asked for ends alone',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: (_now, id) => ['running', { created_at: id === 'd' ? null : time(id === 'e' ? 2 : id === 'f' ? 1 : 3) }],
			list: (_now, query) => ({
				truncated: true,
				jobs: query.includes('status')
					? [...entries('z', 'succeeded', { created_at: time(5) }), ...entries('y', 'failed', { created_at: time(2) })]
					: [],
			}),
			from: 57_000,
			forMs: 63_000,
		},
		'list limit=100&status=succeeded,failed,canceled,expired: 60500+ 61500+ 62500+ | read: 60616d 60691e 60766f',
	],
	[
		'the silence of a list about a job is checked by a read after a minute',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running'],
			list: (_now, query) => ({ truncated: !query.includes('status'), jobs: [] }),
			from: 59_000,
			forMs: 62_000,
		},
		'list limit=100&status=succeeded,failed,canceled,expired: 59882+ 61132+ 61632+ | read: 61132a 61207b 61282c 61357d',
	],
	[
		'a truncated list without times vouches for no job',
		{
			ids: 'abcd',
			mode: 'polling',
			read: () => ['running', { created_at: '2026-01-03T00:00:00Z' }],
			list: () => ({ truncated: true, jobs: entries('z', 'succeeded') }),
			forMs: 3_000,
		},
		'job_status running read: 0abcd | learns running: 0abcd | list limit=100&status=succeeded,failed,canceled,expired: 500+ | list limit=100: 500+ | read: 0abcd 500a 575b 650c 725d 1250a 1325b 1400c 1475d 2375a 2450b 2525c 2600d | wait_started polling 900000: 0abcd',
	],
	[
		'another wait looks when the one that looked is stopped',
		{
			ids: 'abcdef',
			mode: 'polling',
			read: () => ['running'],
			list: () => undefined,
			cancel: () => ['canceled'],
			stopAt: 700,
			stopped: 'a',
			forMs: 3_000,
		},
		'cancel: 700a | cancel_requested stopped: 700a | job_status running read: 0abcdef | learns running: 0abcdef | list limit=100: 500+ 700+ | read: 0abcdef | throws StoppedError: 700a | wait_started polling 900000: 0abcdef',
	],
	[
		'many waits without a list share their reads',
		{
			ids: 'abcdefghijklmnopqrst',
			mode: 'polling',
			read: (now, id) => [id === 'a' && now >= 4_000 ? 'succeeded' : 'running'],
			from: 2_000,
			forMs: 9_000,
		},
		'job_status succeeded read: 4500a | read: 2025h 2100i 2175j 2250k 2325l 2400m 2475n 2550o 2625p 2700q 2775r 2850s 2925t 3000a 3075b 3150c 3225d 3300e 3375f 3450g 3525h 3600i 3675j 3750k 3825l 3900m 3975n 4050o 4125p 4200q 4275r 4350s 4425t 4500a 4575b 4628c 4680d 4733e 4786f 4838g 4891h 4943i 4996j 5049k 5101l 5154m 5207n 5259o 5312p 5364q 5417r 5475s 5550t 6263b 6315c 6368d 6420e 6473f 6526g 6578h 6631i 6684j 6736k 6789l 6841m 6894n 6947o 6999p 7052q 7105r 7163s 7238t 8794b 8846c 8899d 8952e | returns succeeded true: 4500a',
	],
	[
		'waits that begin later keep their own pace',
		{
			ids: 'abcde',
			apartMs: 300,
			mode: 'polling',
			read: until(4_000),
			list: (now) => ({ jobs: entries('abcde', now < 4_000 ? 'running' : 'succeeded') }),
		},
		'job_status running read: 0a 300b 600c 900d 1200e | job_status succeeded read: 4821abcde | learns running: 0a 300b 600c 900d 1200e | list limit=100: 1100+ 1600+ 2100+ 2600+ 3124+ 3880+ 4821+ | read: 0a 300b 500a 600c 800b 900d 1200e 4821abcde | returns succeeded true: 4821abcde | wait_started polling 900000: 0a 300b 600c 900d 1200e',
	],
]);
