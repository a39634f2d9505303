import type { Connection } from '../connection';
import { findServer, type ServerSettings } from '../findServer';
import type { InterfaceName } from '../job';
import type { CallOptions } from '../ports';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import { mayPass } from './mayPass';
import type { NewsListener, NewsSource } from './newsSource';
import { requireList } from './requireList';
import { watchEngine } from './watchEngine';
import { watchJobs } from './watchJobs';

const RETRY_MS = 10_000;
/** A wrong token or address does not mend itself within seconds. */
const REFUSED_RETRY_MS = 300_000;

/** Prepares the jobs of a server of one's own, whichever of its interfaces is found; it may come up long after the trigger. */
export const openServerNews = (settings: ServerSettings, jobIds: readonly string[]): NewsSource => new ServerNews(settings, jobIds);

class ServerNews implements NewsSource {
	private found?: Connection;

	constructor(
		private readonly settings: ServerSettings,
		private readonly jobIds: readonly string[],
	) {}

	/** Until it is found, what is likeliest. */
	get interface(): InterfaceName {
		return this.found?.interface ?? (this.settings.wanted === 'engine' ? 'engine' : 'v2');
	}

	readonly watch = async (listener: NewsListener, signal: AbortSignal): Promise<void> => {
		const connection = await this.keepFinding(listener, signal);
		if (connection === undefined) return;
		const watch =
			connection.interface === 'engine' ? watchEngine(connection, this.jobIds) : watchJobs(connection.jobs, { jobIds: this.jobIds });
		await watch(listener, signal);
	};

	async verifyAccess(options: CallOptions = {}): Promise<void> {
		const { jobs, interface: name } = (this.found ??= (await findServer(this.settings, { ...options, patienceMs: 0 })).connection);
		if (name === 'v2' && this.jobIds.length === 0) await requireList(jobs, options);
		for (const jobId of this.jobIds) await jobs.get(jobId, options);
	}

	async close(): Promise<void> {
		await this.found?.close();
	}

	private async keepFinding(listener: NewsListener, signal: AbortSignal): Promise<Connection | undefined> {
		while (this.found === undefined && !signal.aborted) {
			const looked = await outcomeOf(findServer(this.settings, { signal, patienceMs: 0 }));
			if (looked.ok) this.found = looked.value.connection;
			else if (!signal.aborted) await this.pause(looked.error, listener, signal);
		}
		return this.found;
	}

	private async pause(error: unknown, listener: NewsListener, signal: AbortSignal): Promise<void> {
		const retryInMs = mayPass(error) ? RETRY_MS : REFUSED_RETRY_MS;
		listener.onTrouble({ error, retryInMs });
		await outcomeOf(delay(retryInMs, signal));
	}
}
