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
 *   ended <pid> <wait status> <alone>  may come before its `started`; alone: 1 where its group is empty
 *
 * A pid namespace is what `unshare --pid --fork --mount-proc` makes (namespace.ts), without a program and a process for it:
 * that takes two numbers of system calls, known here for two kinds of processors.
 */
export const FORK_SERVER = String.raw`
use strict; use warnings; use Fcntl; use POSIX ();
$0 = 'fleet (starts agents)';
open my $report, '>&', \*STDOUT or die $!;
sub report { syswrite $report, "@_\n" }
my ($clone, $mount) = @{ { x86_64 => [56, 165], aarch64 => [220, 40] }->{ (POSIX::uname())[4] } // [] };

# Like fork, with a pid namespace and a view of mounts around the child. undef: it cannot be.
sub fork_inside {
  my ($none, $root, $proc, $folder) = ('none', '/', 'proc', '/proc');
  my $pid = syscall $clone, 0x20000000 | 0x00020000 | POSIX::SIGCHLD(), 0, 0, 0, 0; # CLONE_NEWPID, CLONE_NEWNS
  return $pid > 0 ? $pid : undef if $pid;
  my $seen = syscall($mount, $none, $root, 0, 0x44000, 0) == 0 # MS_REC, MS_PRIVATE: nobody else sees what follows
    && syscall($mount, $proc, $folder, $proc, 0xe, 0) == 0; # MS_NOSUID, MS_NODEV, MS_NOEXEC
  return 0 if $seen;
  syswrite STDERR, "no agent could be started (pid namespace): $!\n";
  POSIX::_exit(126);
}

sub can_namespace {
  return 0 if !$clone || length pack('p', '') != 8;
  my $pid = fork_inside() // return 0;
  POSIX::_exit(-e '/proc/1/stat' ? 0 : 1) if $pid == 0;
  return waitpid($pid, 0) == $pid && $? == 0;
}

sub ended {
  my ($pid, $status) = @_;
  report('ended', $pid, $status, kill(0, -$pid) || $! != POSIX::ESRCH() ? 0 : 1);
}

sub start {
  my ($run, $namespace, $cwd, $in, $out, $err, $count, @argv) = @_;
  my @env = splice @argv, 0, $count;
  my $append = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
  sysopen my $stdin, $in, O_RDONLY or return report('failed', $run, $! + 0, 'stdin');
  sysopen my $stdout, $out, $append, 0600 or return report('failed', $run, $! + 0, 'stdout');
  sysopen my $stderr, $err, $append, 0600 or return report('failed', $run, $! + 0, 'stderr');
  chdir $cwd or return report('failed', $run, $! + 0, 'cwd');
  my $pid = $namespace ? fork_inside() : fork;
  if (!defined $pid) { report('failed', $run, $! + 0, 'fork') }
  elsif ($pid == 0) { become(\@argv, \@env, $stdin, $stdout, $stderr) }
  else { report('started', $run, $pid, start_time($pid)) }
  chdir '/';
}

sub become {
  my ($argv, $env, @files) = @_;
  POSIX::setsid();
  POSIX::dup2(fileno $files[$_], $_) for 0 .. 2;
  variables(@$env);
  no warnings 'exec';
  exec { $argv->[0] } @$argv;
  syswrite STDERR, "no agent could be started ($argv->[0]): $!\n";
  POSIX::_exit(126);
}

sub variables { for (@_) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value } }

sub start_time {
  open my $file, '<', "/proc/$_[0]/stat" or return 0;
  my $stat = <$file> // return 0;
  return (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
}

report('ready', can_namespace() ? 'namespace' : ());
$SIG{CHLD} = sub { local ($!, $?); while ((my $pid = waitpid -1, POSIX::WNOHANG()) > 0) { ended($pid, $?) } };
my $orders = '';
while (1) {
  my $read = sysread STDIN, $orders, 65536, length $orders;
  if (!defined $read) { next if $! == POSIX::EINTR(); last }
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
