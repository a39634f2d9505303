/** Processor time of this process so far, in milliseconds: how long a computation takes, however busy the machine is. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
}
