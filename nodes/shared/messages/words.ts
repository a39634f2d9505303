/** What a person reads: what happened, then how to go on. */
export interface Words {
	message: string;
	advice: string;
}

export const words = (message: string, ...advice: Array<string | undefined>): Words => ({
	message,
	advice: advice.filter((line) => line !== undefined && line !== '').join('\n'),
});
