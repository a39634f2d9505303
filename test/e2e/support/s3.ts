/** A local server with the part of the S3 API that n8n's node S3 uses to store a file. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { CredentialDocument } from '../../../scripts/n8nHost/documents';

const REGION = 'us-east-1';
const ACCESS_KEY_ID = 'test-key';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

interface StoredObject {
	bytes: Buffer;
	contentType: string | undefined;
}

export interface S3Server {
	/** For n8n's node S3. */
	credential: CredentialDocument;
	createBucket(bucket: string): void;
	/** The objects of a bucket, by name. */
	objects(bucket: string): Map<string, StoredObject>;
	/** Deletes all buckets. */
	reset(): void;
	close(): void;
}

const refuse = (response: ServerResponse, status: number, code: string): void =>
	void response.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);

/** Starts the server at a free loopback port. It checks the key of a signature, and not the signature. */
export async function startS3(): Promise<S3Server> {
	const buckets = new Map<string, Map<string, StoredObject>>();

	const server = createServer(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
		const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
		const bytes = await buffer(request);
		const objects = buckets.get(bucket);
		const isSigned = request.headers.authorization?.includes(`Credential=${ACCESS_KEY_ID}/`);
		if (!isSigned) refuse(response, 403, 'InvalidAccessKeyId');
		else if (objects === undefined) refuse(response, 404, 'NoSuchBucket');
		else if (request.method === 'PUT') {
			objects.set(key, { bytes, contentType: request.headers['content-type'] });
			response.end();
		} else if (searchParams.has('location')) {
			response.end(`<LocationConstraint xmlns="${NAMESPACE}">${REGION}</LocationConstraint>`);
		} else refuse(response, 501, 'NotImplemented');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	return {
		credential: {
			name: 'S3 (local)',
			type: 's3',
			data: {
				endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
				region: REGION,
				accessKeyId: ACCESS_KEY_ID,
				secretAccessKey: 'test-secret',
				forcePathStyle: true,
				ignoreSSLIssues: false,
			},
		},
		createBucket: (bucket) => void buckets.set(bucket, new Map()),
		objects: (bucket) => buckets.get(bucket) ?? new Map<string, StoredObject>(),
		reset: () => buckets.clear(),
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
