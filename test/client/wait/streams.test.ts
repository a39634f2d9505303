/** When a wait opens event streams, and what it learns from them. */
import { alive, progress, SUBMITTED, testTimelines, until } from './support/timeline';

testTimelines([
	[
		'a stream replaces the reads until it reports the end, and the read that lags behind is repeated',
		{
			read: (now) => (now < 7_100 ? ['queued', { queue_position: 2, progress: { value: 0.1 } }] : ['succeeded']),
			stream: () => [
				[0, 'status', { status: 'queued', queue_position: 3 }],
				[300, 'log', { message: '' }],
				progress(400, 0),
				progress(500, 0.5, { nodes_total: 2 }),
				progress(600, 0.4, { nodes_total: 2, nodes_done: 1 }),
				progress(700, 0.3, { nodes_total: 3 }),
				progress(800, 0.2),
				progress(900, 0.2, { current_node: '7' }),
				progress(950, 0.1, { current_node: '7' }),
				[7_000, 'status', { status: 'succeeded' }],
			],
		},
		'events: 0a | hears log: 300a | hears progress 0.1: 400a | hears progress 0.2: 900a 950a | hears progress 0.3: 700a 800a | hears progress 0.5: 500a 600a | hears status: 0a 7000a | job_status queued 2 read: 0a 7000a | job_status queued 3 stream: 0a | job_status running stream: 500a | job_status succeeded read: 7125a | job_status succeeded stream: 7000a | learns queued 2 0.1: 0a | read: 0a 7000a 7050a 7125a | returns succeeded true 500 6500: 7125a | wait_started live 900000: 0a',
	],
	[
		'the reads after the end that several streams report do not wait for each other',
		{
			ids: 'abc',
			read: until(7_100),
			stream: () => [alive, [7_000, 'status', { status: 'succeeded' }]],
		},
		'events: 0abc | hears status: 0abc 7000abc | job_status running read: 0abc 7000abc | job_status succeeded read: 7125abc | job_status succeeded stream: 7000abc | learns running: 0abc | read: 0abc 1001abc 3002abc 7000abc 7050abc 7125abc | returns succeeded true: 7125abc | wait_started live 900000: 0abc',
	],
	[
		'a stream that is alive still has a read every 30 s',
		{ read: until(70_000), stream: () => [alive, progress(100, 0.1), progress(200, 0.2)], forMs: 100_000 },
		'events: 0a 45251a | hears progress 0.1: 100a | hears progress 0.2: 200a 45351a 45451a | hears status: 0a 45251a | job_status running read: 0a | job_status succeeded read: 75251a | learns running: 0a | read: 0a 30000a 45200a 75251a | returns succeeded true: 75251a | stream_lost 45200 ConnectionError: 45200a | wait_started live 900000: 0a',
	],
	[
		'a stream that was lost is opened again after growing pauses',
		{ read: until(6_000), stream: () => [alive, [200]] },
		'events: 0a 301a 702a 1303a 2304a 4105a | hears status: 0a 301a 702a 1303a 2304a 4105a | job_status running read: 0a | job_status succeeded read: 6680a | learns running: 0a | read: 0a 200a 501a 902a 1503a 2003a 2504a 3004a 3754a 4305a 4805a 5555a 6680a | returns succeeded true: 6680a | stream_lost 200 ConnectionError: 200a 501a 902a 1503a 2504a 4305a | wait_started live 900000: 0a',
	],
	[
		'a stream that the service cannot open is tried again after growing pauses',
		{ ids: 'ab', read: () => ['running'], stream: () => 502, forMs: 4_000 },
		'events: 0a 100b 300a 700b 1500a 3100b | job_status running read: 0ab | learns running: 0ab | read: 0ab 500a 575b 1250a 1325b 2375a 2450b | stream_rejected ApiError: 0a 100b 300a 700b 1500a 3100b | wait_started live 900000: 0ab',
	],
	[
		'a service without streams is asked again after 5 minutes',
		{ read: () => ['running'], stream: () => 501, from: 265_000, forMs: 302_000 },
		'events: 300000a | read: 265391a 270391a 275391a 280391a 285391a 290391a 295391a 300391a | stream_rejected ApiError: 300000a',
	],
	[
		'a stream that is one too many is tried again after 30 s, or when a stream is free',
		{
			ids: 'abc',
			read: (now, id) => [id === 'a' && now >= 3_000 ? 'succeeded' : 'running'],
			stream: (now, id) =>
				id === 'a' || (now >= 3_000 && id === 'b')
					? [alive, progress(1, 0.1), progress(2, 0.2), [3_000, 'status', { status: 'succeeded' }]]
					: 429,
			forMs: 34_000,
		},
		'events: 0ab 3250c 33250bc | hears progress 0.1: 1a 33251b | hears progress 0.2: 2a 33252b | hears status: 0a 3000a 33250b | job_status running read: 0abc | job_status succeeded stream: 3000a | learns running: 0abc | read: 0abc 500b 575c 1250b 1325c 2375b 2450c 3000a 4063b 4138c 6594b 6669c 10391b 10466c 15391b 15466c 20391b 20466c 25391b 25466c 30391b 30466c | returns succeeded true: 3000a | stream_rejected ApiError: 0b 3250c 33250c | wait_started live 900000: 0abc',
	],
	[
		'two waits that begin while all streams are in use read their jobs, and log this',
		{ ids: 'abcd', apartMs: 100, read: () => ['running'], stream: (_now, id) => (id === 'a' ? [alive] : 429), from: 150, forMs: 400 },
		'job_status running read: 200c 300d | learns running: 200c 300d | read: 200c 300d | stream_waits 1: 200c 300d | wait_started live 900000: 200c 300d',
	],
	[
		'Retry-After puts off the next stream',
		{ read: () => ['running'], stream: () => 429, retryAfter: '40', forMs: 41_000 },
		'events: 0a 40000a | job_status running read: 0a | learns running: 0a | read: 0a 500a 1250a 2375a 4063a 6594a 10391a 15391a 20391a 25391a 30391a 35391a 40391a | stream_rejected ApiError: 0a 40000a | wait_started live 900000: 0a',
	],
	[
		'more streams are asked for at a time the more are open',
		{ ids: 'abcdefghijklmnopqrstuvwxyz', read: () => ['running'], stream: () => [alive], openMs: 100, forMs: 2_500 },
		'events: 0a 100b 200c 300d 400e 500f 600g 700h 800i 900j 1000k 1100l 1200m 1300n 1400o 1500p 1600qr 1700st 1800uv 1900wx 2000yz | hears status: 100a 200b 300c 400d 500e 600f 700g 800h 900i 1000j 1100k 1200l 1300m 1400n 1500o 1600p 1700qr 1800st 1900uv 2000wx 2100yz | job_status running read: 0abcdefghijklmnopqrstuvwxyz | learns running: 0abcdefghijklmnopqrstuvwxyz | list limit=100: 500+ | read: 0abcdefghijklmnopqrstuvwxyz 1950w 2025y 2100z | wait_started live 900000: 0abcdefghijklmnopqrstuvwxyz',
	],
	[
		'a stream that one job may not have is no pause for another',
		{ ids: 'ab', read: until(1_000), stream: () => 403 },
		'events: 0ab | job_status running read: 0ab | job_status succeeded read: 1250a 1325b | learns running: 0ab | read: 0ab 500a 575b 1250a 1325b | returns succeeded true: 1250a 1325b | stream_rejected ApiError: 0ab | wait_started live 900000: 0ab',
	],
	[
		'a stream serves a wait that hands no events on',
		{
			ignoresEvents: true,
			read: until(900),
			stream: () => [alive, progress(10, 0.1), progress(20, 0.2), [1_000, 'status', { status: 'succeeded' }]],
		},
		'events: 0a | job_status running read: 0a | job_status succeeded stream: 1000a | learns running: 0a | read: 0a 1000a | returns succeeded true: 1000a | wait_started live 900000: 0a',
	],
	[
		'a stream is the next one’s when its wait is stopped and the service has had time to notice',
		{
			ids: 'ab',
			read: () => ['running'],
			stream: (now, id) => (id === 'a' || now > 1_000 ? [alive, progress(1, 0.1), progress(2, 0.2)] : 429),
			stopAt: 1_000,
			stopped: 'a',
			cancelOnStop: false,
			forMs: 2_000,
		},
		'events: 0ab 1250b | hears progress 0.1: 1a 1251b | hears progress 0.2: 2a 1252b | hears status: 0a 1250b | job_status running read: 0ab | learns running: 0ab | read: 0ab 500b 1250b | stream_rejected ApiError: 0b | throws StoppedError: 1000a | wait_started live 900000: 0ab',
	],
	[
		'keep-alives are a sign of life of a stream',
		{
			read: () => ['running'],
			stream: () => [alive, progress(1, 0.1), progress(2, 0.2), [40_000, ''], [80_000, '']],
			from: 40_000,
			forMs: 89_000,
		},
		'read: 60000a',
	],
	[
		'L4: a job keeps the progress of its stream when a read returns zeros',
		{
			maxWaitMs: 900,
			read: () => ['running', { progress: { value: 0 } }],
			stream: (now) => (now === 0 ? [alive, progress(100, 0.2, { nodes_total: 2 }), progress(200, 0.4, { nodes_total: 2 }), [300]] : 501),
		},
		'events: 0a 401a | hears progress 0.2: 100a | hears progress 0.4: 200a | hears status: 0a | job_status running read: 0a | learns running 0: 0a | read: 0a 300a 800a | returns running 0.4 false: 900a | stream_lost 300 ConnectionError: 300a | stream_rejected ApiError: 401a | wait_started live 900: 0a | wait_timed_out running: 900a',
	],
	[
		'L14: progress does not fall when the next stream begins with an older state',
		{
			read: until(1_000),
			stream: (now) =>
				now === 0
					? [alive, progress(100, 0.2, { nodes_total: 2 }), progress(200, 0.4, { nodes_total: 2 }), [300]]
					: [alive, progress(1, 0.1, { nodes_total: 2 }), progress(2, 0.6, { nodes_total: 2 }), [700, 'status', { status: 'succeeded' }]],
		},
		'events: 0a 401a | hears progress 0.2: 100a | hears progress 0.4: 200a 402a | hears progress 0.6: 403a | hears status: 0a 401a 1101a | job_status running read: 0a | job_status succeeded stream: 1101a | learns running: 0a | read: 0a 300a 1101a | returns succeeded true: 1101a | stream_lost 300 ConnectionError: 300a | wait_started live 900000: 0a',
	],
	[
		'L2: a stream that misses the end of a fast job is checked after 1 s',
		{ read: until(500), stream: () => [alive], submitted: SUBMITTED },
		'events: 0a | hears status: 0a 1001a | job_status running stream: 0a | job_status succeeded stream: 1001a | read: 1001aa | returns succeeded true 0 1001: 1001a | wait_started live 900000: 0a',
	],
	[
		'L2: a silent stream is checked twice, and ends with what the second check reads',
		{ read: until(2_000), stream: () => [alive], submitted: SUBMITTED },
		'events: 0a | hears status: 0a 3002a | job_status running stream: 0a | job_status succeeded stream: 3002a | read: 1001a 3002aa | returns succeeded true 0 3002: 3002a | wait_started live 900000: 0a',
	],
]);
