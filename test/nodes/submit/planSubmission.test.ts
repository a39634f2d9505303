import { planSubmission, type SubmissionPlan } from '../../../nodes/shared/jobs/submit/submitOnce';
import { OtherInterfaceError } from '../../../nodes/shared/messages/unknownOutcome';
import type { ItemSubmission } from '../../../nodes/shared/submission/itemSubmission';
import { itemSubmission as submission } from '../support/itemSubmission';

describe('planSubmission', () => {
	it.each<[earlier: ItemSubmission | undefined, plan: SubmissionPlan]>([
		[undefined, { action: 'send' }],
		[submission({ kind: 'notSubmitted' }), { action: 'send' }],
		[submission({ kind: 'notSubmitted' }, { interface: 'v1' }), { action: 'send' }],
		[submission({ kind: 'replaced' }), { action: 'send' }],
		[submission({ kind: 'sending' }), { action: 'recover' }],
		[submission({ kind: 'unconfirmed' }), { action: 'recover' }],
		[submission({ kind: 'unconfirmed' }, { interface: 'v2' }), { action: 'recover' }],
		[submission({ kind: 'accepted', jobId: 'a' }), { action: 'returnRecorded', jobId: 'a' }],
		[submission({ kind: 'accepted', jobId: 'a' }, { interface: 'v1' }), { action: 'returnRecorded', jobId: 'a' }],
		[submission({ kind: 'answered', jobId: 'a' }), { action: 'returnRecorded', jobId: 'a' }],
	])('of %j over v2 is %j', (earlier, plan) => expect(planSubmission(earlier, 'v2')).toEqual(plan));

	it('refuses to send an unconfirmed submission over another interface, because that would be a second job', () => {
		const plan = planSubmission(submission({ kind: 'unconfirmed' }, { interface: 'v1' }), 'engine');
		expect(plan).toEqual({ action: 'refuse', error: new OtherInterfaceError('key', 'v1', 'engine') });
	});
});
