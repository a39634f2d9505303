/** How waits and cancels end before the job has ended. */
import { testTimelines, until } from './support/timeline';

testTimelines([
	[
		'a stop cancels the job',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, cancel: () => ['canceled'] },
		'cancel: 700a | cancel_requested stopped: 700a | job_status running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 700a | wait_started polling 900000: 0a',
	],
	[
		'a stop before the first answer cancels the job by its id',
		{ mode: 'polling', read: (now) => (now < 600 ? undefined : ['running']), stopAt: 700, cancel: () => ['canceled'] },
		'cancel: 700a | cancel_requested stopped: 700a | read: 0a 700a | throws StoppedError: 700a | wait_started polling 900000: 0a',
	],
	[
		'a stop waits 5 s for the answer to the cancel',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, forMs: 6_000 },
		'cancel: 700a | cancel_requested stopped: 700a | job_status running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 5700a | wait_started polling 900000: 0a',
	],
	[
		'a stop leaves the job alone',
		{ mode: 'polling', read: () => ['running'], stopAt: 700, cancelOnStop: false },
		'job_status running read: 0a | learns running: 0a | read: 0a 500a | throws StoppedError: 700a | wait_started polling 900000: 0a',
	],
	[
		'the end of the time cancels the job',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => ['canceled'] },
		'cancel: 700a | cancel_requested timed_out: 700a | job_status running read: 0a | learns running: 0a | read: 0a 500a | returns canceled true: 700a | wait_started polling 700: 0a | wait_timed_out running: 700a',
	],
	[
		'the end of the time tells that the job still stops',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => ['canceling'] },
		'cancel: 700a | cancel_requested timed_out: 700a | job_status running read: 0a | learns running: 0a | read: 0a 500a | returns canceling false: 700a | wait_started polling 700: 0a | wait_timed_out running: 700a',
	],
	[
		'the end of the time tells that the cancel failed',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700, cancelOnTimeout: true, cancel: () => 403 },
		'cancel: 700a | cancel_requested timed_out: 700a | job_status running read: 0a | learns running: 0a | read: 0a 500a | returns running false not canceled: 700a | wait_started polling 700: 0a | wait_timed_out running: 700a',
	],
	[
		'the end of the time leaves the job alone',
		{ mode: 'polling', read: () => ['running'], maxWaitMs: 700 },
		'job_status running read: 0a | learns running: 0a | read: 0a 500a | returns running false: 700a | wait_started polling 700: 0a | wait_timed_out running: 700a',
	],
	[
		'the end of the time without an answer throws why',
		{ mode: 'polling', read: () => 503, maxWaitMs: 700 },
		'read: 0a 500a | throws ApiError: 700a | wait_started polling 700: 0a',
	],
	[
		'a shutdown returns the job with its current status',
		{ mode: 'polling', read: () => ['running'], shutdownAt: 700, cancelOnTimeout: true, cancel: () => ['canceled'] },
		'job_status running read: 0a | learns running: 0a | read: 0a 500a | returns running false: 700a | wait_started polling 900000: 0a',
	],
	[
		'a shutdown waits 5 s for the first answer',
		{ mode: 'polling', read: () => undefined, shutdownAt: 700 },
		'read: 0a | throws StoppedError: 5700a | wait_started polling 900000: 0a',
	],
	[
		'a wait that begins during a shutdown reads once',
		{ ids: 'ab', apartMs: 300, mode: 'polling', read: (_now, id) => (id === 'a' ? ['running'] : undefined), shutdownAt: 200 },
		'job_status running read: 0a | learns running: 0a | read: 0a 300b | returns running false: 200a | throws StoppedError: 5300b | wait_started polling 900000: 0a 300b',
	],
	[
		'a stop during a shutdown waits for nothing',
		{ mode: 'polling', read: () => undefined, shutdownAt: 700, stopAt: 900, cancelOnStop: false },
		'read: 0a | throws StoppedError: 900a | wait_started polling 900000: 0a',
	],
	[
		'a cancel is confirmed by reads',
		{ confirms: true, read: (now) => [now < 1_000 ? 'canceling' : 'canceled'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceled true: 1753a | cancel_requested requested: 0a | read: 0a 251a 752a 1753a | returns canceled true: 1753a',
	],
	[
		'a cancel of what has ended is not confirmed',
		{ confirms: true, read: () => ['running'], cancel: () => ['succeeded'] },
		'cancel: 0a | cancel_answered succeeded false: 0a | cancel_requested requested: 0a | read: 0a | returns succeeded false: 0a',
	],
	[
		'a cancel is read for 10 s',
		{ confirms: true, read: () => ['canceling'], cancel: () => ['canceling'], forMs: 20_000 },
		'cancel: 0a | cancel_answered canceling false: 10001a | cancel_requested requested: 0a | read: 0a 251a 752a 1753a 3754a 5755a 7756a 9757a 10001a | returns canceling false: 10001a',
	],
	[
		'a cancel is read for as long as is wanted',
		{ confirms: 300, read: () => ['canceling'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceling false: 301a | cancel_requested requested: 0a | read: 0a 251a 301a | returns canceling false: 301a',
	],
	[
		'a cancel without an answer is stopped',
		{ confirms: true, read: () => ['running'], cancel: () => undefined, stopAt: 300 },
		'cancel: 0a | cancel_requested requested: 0a | read: 0a | throws StoppedError: 300a',
	],
	[
		'a cancel is confirmed without a read where there is no time',
		{ confirms: 0, read: () => ['canceled'], cancel: () => ['canceling'] },
		'cancel: 0a | cancel_answered canceling false: 0a | cancel_requested requested: 0a | read: 0a | returns canceling false: 0a',
	],
	[
		'a read that the end of the time cuts off says nothing of the service',
		{ mode: 'polling', read: (now) => (now < 400 ? 503 : undefined), maxWaitMs: 700 },
		'read: 0a 500a | throws ApiError: 700a | wait_started polling 700: 0a',
	],
	[
		'a wait that is stopped before it begins sends nothing',
		{ ids: 'ab', apartMs: 300, mode: 'polling', read: until(600), stopAt: 100, stopped: 'b' },
		'job_status running read: 0a | job_status succeeded read: 1250a | learns running: 0a | read: 0a 500a 1250a | returns succeeded true: 1250a | throws StoppedError: 300b | wait_started polling 900000: 0a',
	],
]);
