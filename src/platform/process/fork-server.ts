/**
 * A small process that only starts agents, so that the supervisor never waits for a start: a fork copies the page tables
 * of the whole process, and Node blocks until the child has called exec.
 *
 * It is in Perl because Node cannot fork, and a compiled program could not be installed without a compiler. Its orders
 * are values only; it builds no command lines. It exits at the end of its stdin.
 *
 * An order is a line with a length, then that many bytes: fields separated by NUL.
 *
 *   env <variable>...                  the environment of all later agents
 *   start <run> <namespace> <cwd> <keys> <stdin> <stdout> <stderr> <count> <variable>... <argv>...
 *                                      `namespace` or an empty field; what the wrapper reads from its stdin; files, of
 *                                      which the wrapper opens the first; the number of additional variables
 *
 * It answers with one line each:
 *
 *   ready [namespace]                  once; with `namespace` if making a pid namespace has just worked
 *   started <run> <pid> <start time> <output>
 *                                      start time 0: the process had already gone; output: device:inode of its stdout
 *   failed <run> <errno> <what>        nothing was started; what is `cwd`, `stdin`, `stdout`, `stderr` or `fork`
 *   ended <pid> <wait status> <left>   may come before its `started`; left: `nothing` of the run, something of its
 *                                      `group`, or `perhaps` something elsewhere
 *
 * The leader of a run is made a child subreaper (PR_SET_CHILD_SUBREAPER): a process of the run that loses its parent becomes
 * the leader's child, whatever its session, environment or name. This process is one too: when a leader ends, it gets the
 * leader's children. So a child that leads no run was left behind by an ended one, and it sees that at once, without
 * scanning the process table.
 *
 * It makes pid namespaces as `unshare --pid --fork --mount-proc` does (namespace.ts), without another program or process.
 *
 * Every fork copies this process, so it loads no module: POSIX alone would double its size, a third of a millisecond per
 * start. Its arguments replace the module: after its title, the numbers of the system calls setsid, exit_group, clone, mount and prctl,
 * and the flags to open a file for appending. Literal numbers are the same on Linux for all processors.
 */
export const FORK_SERVER = String.raw`
use strict;
exit 1 if length pack('p', '') != 8; # the system call numbers are those of 64-bit Linux
$0 = shift;
my ($setsid, $exit, $clone, $mount, $prctl, $append) = map { $_ + 0 } @ARGV;
open my $report, '>&', \*STDOUT or die $!;
$SIG{PIPE} = sub {}; # a handler, not IGNORE: agents would inherit IGNORE
my $children = "/proc/$$/task/$$/children";
my $adopts = syscall($prctl, 36, 1, 0, 0, 0) == 0 && -r $children; # PR_SET_CHILD_SUBREAPER
my %run; # by the pid of its leader
my $forking = 0;
my @early; # children that ended during a fork, before it was known whether they lead a run

# Gives up if it cannot write: the supervisor is gone then.
sub report {
  my $line = "@_\n";
  while (length $line) {
    my $written = syswrite $report, $line;
    if (defined $written) { substr $line, 0, $written, '' } elsif ($! != 4) { return } # EINTR
  }
}

# Like fork, with a new pid namespace and mount namespace around the child. undef: it failed.
sub fork_inside {
  my $pid = syscall $clone, 0x20000000 | 0x00020000 | 17, 0, 0, 0, 0; # CLONE_NEWPID, CLONE_NEWNS, SIGCHLD
  return $pid >= 0 ? $pid : undef;
}

# In the child: makes /proc show the new namespace.
sub see_inside {
  my ($none, $root, $proc, $folder) = ('none', '/', 'proc', '/proc');
  return syscall($mount, $none, $root, 0, 0x44000, 0) == 0 # MS_REC, MS_PRIVATE: the next mount stays in this namespace
    && syscall($mount, $proc, $folder, $proc, 0xe, 0) == 0; # MS_NOSUID, MS_NODEV, MS_NOEXEC
}

sub can_namespace {
  my $pid = fork_inside() // return 0;
  syscall $exit, see_inside() && -e '/proc/1/stat' ? 0 : 1 if $pid == 0;
  return waitpid($pid, 0) == $pid && $? == 0;
}

sub ended {
  my ($pid, $status) = @_;
  my $run = delete $run{$pid} // return; # an orphan that was reparented here
  my $group = kill(0, -$pid) || $! != 3; # ESRCH
  report('ended', $pid, $status, $group ? 'group' : $run eq '' || $adopts && !orphans() ? 'nothing' : 'perhaps');
}

# During a start the new leader is not known yet: it would look like an orphan, and its end like that of one.
sub reaped { if ($forking) { push @early, [@_] } else { ended(@_) } }

# Whether any ended run has left a process. EPERM: another user's, which nothing here can end.
sub orphans {
  open my $list, '<', $children or return 1;
  for my $pid (split ' ', <$list> // '') {
    return 1 if !exists $run{$pid} && (kill(0, $pid) || $! != 1);
  }
  return 0;
}

sub start {
  my ($run, $namespace, $cwd, $keys, $in, $out, $err, $count, @argv) = @_;
  my @env = splice @argv, 0, $count;
  # The wrapper opens it, and would wait for a pipe.
  -r $in or return report('failed', $run, $! + 0, 'stdin');
  $in eq '/dev/null' || -f _ or return report('failed', $run, 22, 'stdin'); # EINVAL
  sysopen my $stdout, $out, $append, 0600 or return report('failed', $run, $! + 0, 'stdout');
  sysopen my $stderr, $err, $append, 0600 or return report('failed', $run, $! + 0, 'stderr');
  chdir $cwd or return report('failed', $run, $! + 0, 'cwd');
  $forking = 1;
  my $pid = $namespace ? fork_inside() : fork;
  if (!defined $pid) { report('failed', $run, $! + 0, 'fork') }
  elsif ($pid == 0) { become($namespace, $keys, \@argv, \@env, $stdout, $stderr) }
  else {
    $run{$pid} = $namespace ? '' : $run; # a namespace leaves nothing behind
    report('started', $run, $pid, start_time($pid), join ':', (stat $stdout)[0, 1]);
  }
  $forking = 0;
  ended(@$_) for splice @early;
  chdir '/';
}

sub become {
  my ($namespace, $keys, $argv, $env, @files) = @_;
  syscall $setsid;
  syscall $prctl, 36, 1, 0, 0, 0; # stays in force in the program that it becomes
  pipe my $from, my $to;
  syswrite $to, $keys;
  open STDIN, '<&', $from;
  open STDOUT, '>&', $files[0];
  open STDERR, '>&', $files[1];
  not_started('pid namespace') if $namespace && !see_inside();
  variables(@$env);
  exec { $argv->[0] } @$argv;
  not_started($argv->[0]);
}

sub not_started {
  syswrite STDERR, "no agent could be started ($_[0]): $!\n";
  syscall $exit, 126;
}

sub variables { for (@_) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value } }

sub start_time {
  open my $file, '<', "/proc/$_[0]/stat" or return 0;
  my $stat = <$file> // return 0;
  return (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
}

sub reap {
  local ($!, $?);
  my @gone; # reap all of them first: a zombie still counts as a member of its group
  while ((my $pid = waitpid -1, 1) > 0) { push @gone, [$pid, $?] }
  reaped(@$_) for @gone;
}

report('ready', can_namespace() ? 'namespace' : ());
$SIG{CHLD} = \&reap;
my $orders = '';
while (1) {
  # Perl runs the handler between two operations: of a child that ends just before the wait below, no handler tells.
  vec(my $ready = '', 0, 1) = 1;
  if (select($ready, undef, undef, %run ? 0.5 : undef) < 1) { reap(); next }
  my $read = sysread STDIN, $orders, 65536, length $orders;
  if (!defined $read) { next if $! == 4; last }
  last if $read == 0;
  while ($orders =~ /^(\d+)\n/ && length $orders >= length($1) + 1 + $1) {
    my $start = length($1) + 1;
    my $order = substr $orders, $start, $1;
    substr $orders, 0, $start + $1, '';
    my ($what, @fields) = split /\0/, $order, -1;
    if ($what eq 'start') { start(@fields) } else { %ENV = (); variables(@fields) }
  }
}
`
