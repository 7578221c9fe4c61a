import { MARKER } from './process-table.ts'

/**
 * A process that does nothing but start agents, for a supervisor that must not wait: a fork copies the tables of all its
 * memory, and Node waits until the child has become another program. This one is small and waits for nobody.
 *
 * In Perl because Node cannot fork, and a compiled program could not be installed without a compiler. Everything it is
 * told is a value; it builds no command. It ends when its stdin does.
 *
 * It reads orders: a line with a length, and so many bytes of fields with a NUL between them. `env` and variables: what
 * all agents get from now on. `start`, run, `namespace` or nothing, directory, the files for stdin, stdout and stderr, the
 * number of variables, the variables, the argv: these variables besides. It writes one line each:
 *
 *   ready [namespace]                  once; whether it can make pid namespaces, which it found out by making one
 *   started <run> <pid> <start time>   0 where it had gone before anybody looked
 *   failed <run> <errno> <what>        nothing was started; what is `cwd`, `stdin`, `stdout`, `stderr` or `fork`
 *   ended <pid> <wait status> <left>   may come before its `started`; left: `nothing` of the run, something of its
 *                                      `group`, or `perhaps` something elsewhere
 *
 * Whoever loses its parent becomes a child of this process instead of the first one's, so it sees at once what a run left
 * behind in sessions of its own, without a look at all processes.
 *
 * A pid namespace is what `unshare --pid --fork --mount-proc` makes (namespace.ts), without a program and a process for it.
 *
 * Every fork copies what this process holds, so it loads no module: POSIX alone would double it, a third of a millisecond
 * per start. Its arguments are what it would need them for: the numbers of the system calls setsid, exit_group, clone,
 * mount and prctl, and the flags to open a file for appending. Plain numbers in it are Linux's on all processors.
 */
export const FORK_SERVER = String.raw`
use strict;
exit 1 if length pack('p', '') != 8; # these numbers are of 64 bits
my ($setsid, $exit, $clone, $mount, $prctl, $append) = map { $_ + 0 } @ARGV;
$0 = 'fleet (starts agents)';
open my $report, '>&', \*STDOUT or die $!;
$SIG{PIPE} = sub {}; # not ignored: agents would inherit that
my $children = "/proc/$$/task/$$/children";
my $adopts = syscall($prctl, 36, 1, 0, 0, 0) == 0 && -r $children; # PR_SET_CHILD_SUBREAPER
my %run; # by the pid of its leader
my $forking = 0;
my @early; # who ended while nobody knew yet whether it is a leader

# Nobody reads any more once the supervisor has gone.
sub report {
  my $line = "@_\n";
  while (length $line) {
    my $written = syswrite $report, $line;
    if (defined $written) { substr $line, 0, $written, '' } elsif ($! != 4) { return } # EINTR
  }
}

# Like fork, with a pid namespace and a view of mounts around the child. undef: it cannot be.
sub fork_inside {
  my $pid = syscall $clone, 0x20000000 | 0x00020000 | 17, 0, 0, 0, 0; # CLONE_NEWPID, CLONE_NEWNS, SIGCHLD
  return $pid >= 0 ? $pid : undef;
}

# In the child: /proc shows the namespace.
sub see_inside {
  my ($none, $root, $proc, $folder) = ('none', '/', 'proc', '/proc');
  return syscall($mount, $none, $root, 0, 0x44000, 0) == 0 # MS_REC, MS_PRIVATE: nobody else sees what follows
    && syscall($mount, $proc, $folder, $proc, 0xe, 0) == 0; # MS_NOSUID, MS_NODEV, MS_NOEXEC
}

sub can_namespace {
  my $pid = fork_inside() // return 0;
  syscall $exit, see_inside() && -e '/proc/1/stat' ? 0 : 1 if $pid == 0;
  return waitpid($pid, 0) == $pid && $? == 0;
}

sub ended {
  my ($pid, $status) = @_;
  my $run = delete $run{$pid} // return; # one that had lost its parent
  my $group = kill(0, -$pid) || $! != 3; # ESRCH
  report('ended', $pid, $status, $group ? 'group' : $run eq '' || $adopts && !orphans_of($run) ? 'nothing' : 'perhaps');
}

# In the middle of a start nobody knows yet whose end that is.
sub reaped { if ($forking && !exists $run{$_[0]}) { push @early, [@_] } else { ended(@_) } }

sub orphans_of {
  my ($run) = @_;
  open my $list, '<', $children or return 1;
  for my $pid (split ' ', <$list> // '') {
    next if exists $run{$pid};
    # What cannot be read is no proof: it is just becoming another program, or has just ended. EACCES: another person's.
    open my $file, '<', "/proc/$pid/environ" or $! == 13 ? next : return 1;
    local $/;
    my $env = <$file> // '';
    return 1 if $env eq '' || index("\0$env", "\0${MARKER}=$run\0") >= 0;
  }
  return 0;
}

sub start {
  my ($run, $namespace, $cwd, $in, $out, $err, $count, @argv) = @_;
  my @env = splice @argv, 0, $count;
  sysopen my $stdin, $in, 0 or return report('failed', $run, $! + 0, 'stdin');
  sysopen my $stdout, $out, $append, 0600 or return report('failed', $run, $! + 0, 'stdout');
  sysopen my $stderr, $err, $append, 0600 or return report('failed', $run, $! + 0, 'stderr');
  chdir $cwd or return report('failed', $run, $! + 0, 'cwd');
  $forking = 1;
  my $pid = $namespace ? fork_inside() : fork;
  if (!defined $pid) { report('failed', $run, $! + 0, 'fork') }
  elsif ($pid == 0) { become($namespace, \@argv, \@env, $stdin, $stdout, $stderr) }
  else {
    $run{$pid} = $namespace ? '' : $run; # of what had a namespace nothing can be left
    report('started', $run, $pid, start_time($pid));
  }
  $forking = 0;
  ended(@$_) for splice @early;
  chdir '/';
}

sub become {
  my ($namespace, $argv, $env, @files) = @_;
  syscall $setsid;
  open STDIN, '<&', $files[0];
  open STDOUT, '>&', $files[1];
  open STDERR, '>&', $files[2];
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

report('ready', can_namespace() ? 'namespace' : ());
$SIG{CHLD} = sub {
  local ($!, $?);
  my @gone; # all of them first: a zombie still counts as one of its group
  while ((my $pid = waitpid -1, 1) > 0) { push @gone, [$pid, $?] }
  reaped(@$_) for @gone;
};
my $orders = '';
while (1) {
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
