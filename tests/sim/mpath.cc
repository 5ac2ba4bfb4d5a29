// SPDX-License-Identifier: GPL-2.0
#include "mpath.h"

#include <algorithm>

#include "engine.h"
#include "world.h"

/* How soon blk-mq looks again after "busy", should no completion come before. */
static constexpr uint64_t rerun_ns = 3000000;

Mpath::Mpath(const Config &config, unsigned int index, Machine &machine, Selector &selector,
	     Stats &stats)
	: config_(config), index_(index), machine_(machine), selector_(selector), stats_(stats)
{
	unsigned int first = index * config.paths.size();

	for (unsigned int i = 0; i < config.paths.size(); i++)
		legs_.push_back({ this, i, Path(config.paths[i], config.seed, first + i), false,
				  {}, {} });
	for (const PathChange &change : config.changes)
		changes_.push_back({ this, &change });
	for (Change &entry : changes_)
		engine_at(world_now_ns + entry.change->at_ms * 1e6, 0, [](void *arg) {
			Change *due = static_cast<Change *>(arg);

			due->mpath->change(*due->change);
		}, &entry);
}

void Mpath::change(const PathChange &change)
{
	Leg &leg = legs_[change.path];

	leg.path.change(change.becomes);
	if (leg.path.config().hang)
		return;
	std::vector<Io *> parked;

	parked.swap(leg.parked);
	for (Io *io : parked)
		arrive(leg, io);
}

/* The end of an I/O is on its way, unless it gets lost. */
void Mpath::arrive(Leg &leg, Io *io)
{
	uint64_t lost_ns = leg.path.lost_ns();

	if (lost_ns)
		engine_at(world_now_ns + lost_ns, completion_cpu(io->cpu), [](void *arg) {
			Io *due = static_cast<Io *>(arg);

			due->mpath->complete(due);
		}, io);
	else
		complete(io);
}

void Mpath::prepare(Io *io)
{
	io->mpath = this;
	machine_.cpus.run(io->cpu, config_.submit_us * 1000, [](void *arg) {
		Io *due = static_cast<Io *>(arg);

		due->mpath->submit(due);
	}, io);
}

void Mpath::submit(Io *io)
{
	io->submitted_ns = world_now_ns;
	queue_.push_back(io);
	/* Behind others that wait: they are asked for again by their own event. */
	if (queue_.size() == 1)
		run_queue();
}

/* Its head blocks the queue until an I/O completes, or a little later. */
void Mpath::run_queue()
{
	if (running_)
		return;
	running_ = true;
	while (!queue_.empty() && dispatch(queue_.front()))
		queue_.pop_front();
	running_ = false;
	if (!queue_.empty() && !rerun_pending_) {
		rerun_pending_ = true;
		engine_at(world_now_ns + rerun_ns, queue_.front()->cpu, rerun_event, this);
	}
}

void Mpath::rerun_event(void *mpath)
{
	Mpath *self = static_cast<Mpath *>(mpath);

	self->rerun_pending_ = false;
	self->run_queue();
}

unsigned int Mpath::completion_cpu(unsigned int cpu) const
{
	if (selector_.completes_where_submitted())
		return cpu;
	return cpu - cpu % config_.completions_per;
}

bool Mpath::dispatch(Io *io)
{
	TaskContext context(io->submitter, io->cpu);
	unsigned int node = world_node_of(io->cpu);
	selector_.operation(io->write);
	selector_.submitter(io->flow);

	int index = selector_.select(io->bytes);

	if (index < 0)
		return false;
	Leg &leg = legs_[index];

	io->path = index;
	if (!config_.bio)
		return has_room(leg, io);
	io->stamp_ns = world_now_ns;
	selector_.start(index, io->bytes);
	stats_.started(index, node);
	leg.waiting.push_back(io);
	issue_waiting(leg);
	return true;
}

/* Of a request-based map: a request is got before it is started, the driver asked after. */
bool Mpath::has_room(Leg &leg, Io *io)
{
	unsigned int node = world_node_of(io->cpu);

	if (leg.path.full())
		return false;
	selector_.start(io->path, io->bytes);
	stats_.started(io->path, node);
	if (leg.path.busy()) {
		selector_.end(io->path, io->bytes, 0);
		stats_.not_issued(io->path, node);
		return false;
	}
	issue(leg, io);
	return true;
}

void Mpath::issue_waiting(Leg &leg)
{
	while (!leg.waiting.empty() && !leg.path.full() && !leg.path.busy()) {
		issue(leg, leg.waiting.front());
		leg.waiting.pop_front();
	}
}

void Mpath::issue(Leg &leg, Io *io)
{
	Path::Due due = leg.path.admit(io->bytes, world_node_of(io->cpu), io->write);
	bool behind = leg.path.config().backend >= 0 && !due.failed;

	/* dm stamps bios itself, when it maps them. */
	if (!config_.bio)
		io->stamp_ns = due.stamp_ns;
	io->failed = due.failed;
	io->delay_ns = due.delay_ns;
	if (behind)
		engine_at_outside(due.served_ns, io->cpu, backend_event, io);
	else
		engine_at(due.served_ns + due.delay_ns, completion_cpu(io->cpu), due_event, io);
}

void Mpath::backend_event(void *arg)
{
	Io *io = static_cast<Io *>(arg);
	Mpath *self = io->mpath;
	int backend = std::max(self->legs_[io->path].path.config().backend, 0);
	Server::Served served = self->machine_.backends[backend].serve(
		self->config_.backends[backend], io->bytes, io->write);

	engine_at(served.done_ns + io->delay_ns, self->completion_cpu(io->cpu), due_event, io);
}

void Mpath::due_event(void *arg)
{
	Io *io = static_cast<Io *>(arg);

	io->mpath->machine_.cpus.run(world_cpu, io->mpath->config_.complete_us * 1000,
			     complete_event, io);
}

void Mpath::complete_event(void *arg)
{
	Io *io = static_cast<Io *>(arg);
	Leg &leg = io->mpath->legs_[io->path];

	if (leg.path.config().hang)
		leg.parked.push_back(io);
	else
		io->mpath->arrive(leg, io);
}

void Mpath::complete(Io *io)
{
	bool again = io->failed && !legs_[io->path].path.config().error_is_final;

	if (again)
		fail(io);
	legs_[io->path].path.stamp_retry(io->stamp_ns);
	selector_.operation(io->write);
	selector_.end(io->path, io->bytes, io->stamp_ns);
	legs_[io->path].path.leave();
	issue_waiting(legs_[io->path]);
	if (again) {
		queue_.push_front(io);
	} else {
		if (io->failed)
			stats_.failed();
		else
			stats_.done(*io, index_);
		io->submitter->done(io);
	}
	run_queue();
}

/* The path is given up, until its checker comes by. */
void Mpath::fail(Io *io)
{
	Leg &leg = legs_[io->path];

	if (leg.failed)
		return;
	leg.failed = true;
	selector_.fail(io->path);
	engine_at(world_now_ns + config_.reinstate_ms * 1e6, 0, [](void *arg) {
		Leg *due = static_cast<Leg *>(arg);

		due->failed = false;
		due->mpath->selector_.reinstate(due->index);
		due->mpath->run_queue();
	}, &leg);
}
