import type { Behaviour } from './types';

const HOUR_SECONDS = 60 * 60;

/** What a service that follows the specification to the letter does. */
export const DEFAULT_BEHAVIOUR: Readonly<Behaviour> = {
	replaysKeys: false,
	hashes: 'given',
	links: 'absolute',
	linkOrigin: null,
	assetUrls: 'signed',
	notFoundCodes: 'specification',
	requestIdHeader: 'X-Service-Request-Id',
	linkLifetimeSeconds: HOUR_SECONDS,
	expiredLinkStatus: 400,
	jobLifetimeMs: 24 * HOUR_SECONDS * 1000,
	workers: 4,
	progressIntervalMs: 500,
	keepAliveMs: 15_000,
	maxStreams: null,
	uploadLimitBytes: 1024 * 1024 * 1024,
	v1StatusWords: 'specification',
	v1JobsRead: true,
	v1ErrorBody: 'code_message',
	v1Rejections: 'status_400',
	v1View: 'redirect',
	v1QueueDelete: 'pending_and_running',
	v1Previews: 'metadata',
	engineConcurrency: 1,
	engineInterrupt: 'by_id',
	engineMissingNode: 'invalid_prompt',
	engineJobRoutes: false,
	engineAuthorization: null,
	engineUploadLimitBytes: 100 * 1024 * 1024,
	routerPrefixes: 'both',
	routerHoldMs: 10 * 60 * 1000,
	routerRetryAfterSeconds: 1,
	replayedCredits: 'repeated',
};
