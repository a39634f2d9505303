/** How a running sandbox presents itself on standard output. */
import type { Sandbox } from './types';

/** One line for programs. */
export function describeSandboxAsJson({ urls, keys }: Sandbox): string {
	return JSON.stringify({ ...urls, api_key: keys.apiKey, jwt: keys.jwt, bearer: keys.bearer });
}

/** A page for people. */
export function describeSandbox({ urls, keys, seeds }: Sandbox): string {
	return `The sandbox is running. Stop it with Ctrl+C.

Addresses
  hosted                  ${urls.hosted}
  deployment              ${urls.deployment}
  self-hosted             ${urls.self_hosted}
  self-hosted with token  ${urls.self_hosted_token_url}
  storage                 ${urls.storage}  (signed links only)
  engine                  ${urls.engine}  (the one behind self-hosted)
  router                  ${urls.router}  (paths begin with /v1 or /v2)

On hosted, beside v2
  v1 (deprecated)         ${urls.hosted}/api  (header X-API-Key)
  v1 live events          ${urls.hosted.replace('http', 'ws')}/ws?clientId=<any id>&token=<API key>

Keys
  API key (hosted, deployment, router) ${keys.apiKey}
  API key of another account      ${keys.otherApiKey}
  Bearer (self-hosted with token) ${keys.bearer}
  Partner key (extra data)        ${keys.partnerKey}
  JWT (router)                    ${keys.jwt}

Jobs on hosted
  pinned to a saved version       ${seeds.pinnedJob}
  pinned to a deleted version     ${seeds.deletedVersionJob}
  past its retention (404)        ${seeds.expiredJob}
  of another account (404)        ${seeds.foreignJob}

Try
  curl -H 'Authorization: Bearer ${keys.apiKey}' ${urls.hosted}/api/v2/jobs/${seeds.pinnedJob}/workflow
  curl -H 'X-API-Key: ${keys.apiKey}' ${urls.hosted}/api/jobs
  curl -H 'X-API-Key: ${keys.apiKey}' '${urls.router}/v2/models?limit=5'`;
}
